package chromium_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

func TestProbe(t *testing.T) {
	ctx := await.Context(t)
	html, _ := os.ReadFile(os.Getenv("PROBE"))
	s := time.Now()
	_, page := open(t, ctx, site(t, "", map[string]string{"/": string(html)}))
	fmt.Println("open", time.Since(s))
	s = time.Now()
	tree, err := page.AXTree(ctx, chromium.AnyName("main"))
	fmt.Println("tree", time.Since(s), err)
	by := map[string]int{}
	for i, n := range tree.Nodes {
		by[string(n.NodeID)] = i
	}
	var show func(id string, d string)
	show = func(id, d string) {
		i, ok := by[id]
		if !ok {
			fmt.Println(d, "?", id)
			return
		}
		n := tree.Nodes[i]
		fmt.Print(d, n.NodeID, " ")
		if n.Ignored {
			fmt.Print("IGN ")
		}
		if n.Role != nil {
			fmt.Print(string(n.Role.Value), " ")
		}
		if n.Name != nil {
			fmt.Print(string(n.Name.Value), " ")
		}
		if n.Value != nil {
			fmt.Print("val=", string(n.Value.Value), " ")
		}
		if n.Description != nil {
			fmt.Print("desc=", string(n.Description.Value), " ")
		}
		for _, p := range n.Properties {
			if p.Value != nil {
				fmt.Print(p.Name, "=", string(p.Value.Value), " ")
			}
		}
		fmt.Println(n.BackendDOMNodeID)
		for _, c := range n.ChildIDs {
			show(string(c), d+"  ")
		}
	}
	show(string(tree.Nodes[0].NodeID), "")
	for _, e := range page.Events() {
		fmt.Println(e)
	}
	png, err := page.Screenshot(ctx)
	fmt.Println(len(png), err)
}
