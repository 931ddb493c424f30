package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// Query says which element is meant. Make one with [Role], [RoleContaining], [RoleMatching] or [CSS]; it is a value and can be kept.
type Query struct {
	role     string
	name     string
	match    func(name string) bool // nil: any name
	selector string
	within   *Query
	nth      int // 1-based; 0: there must be exactly one
	words    string
}

// Role finds by accessibility role and exact accessible name.
func Role(role, name string) Query {
	return Query{role: role, name: name, match: func(n string) bool { return n == name }, words: fmt.Sprintf("%s %q", role, name)}
}

// AnyName finds by role alone.
func AnyName(role string) Query { return Query{role: role, words: role} }

// RoleContaining finds by role and a part of the name.
func RoleContaining(role, part string) Query {
	return Query{
		role: role, match: func(n string) bool { return strings.Contains(n, part) }, words: fmt.Sprintf("%s containing %q", role, part),
	}
}

// RoleMatching finds by role and a pattern that the name matches.
func RoleMatching(role string, pattern *regexp.Regexp) Query {
	return Query{role: role, match: pattern.MatchString, words: fmt.Sprintf("%s matching /%s/", role, pattern)}
}

// CSS finds by selector, for what has no role: prefer stable data attributes, never class names.
func CSS(selector string) Query { return Query{selector: selector, words: "element " + selector} }

// Within narrows the query to descendants of the one element that outer finds.
func (q Query) Within(outer Query) Query { q.within = &outer; return q }

// Nth picks the n-th match in document order, counted from 1, where several are expected.
func (q Query) Nth(n int) Query { q.nth = n; return q }

// String says what is looked for.
func (q Query) String() string {
	text := q.words
	if q.nth > 0 {
		text += fmt.Sprintf(" (match %d)", q.nth)
	}
	if q.within != nil {
		text += " within " + q.within.String()
	}
	return text
}

// Element is an element as it was when it was found.
type Element struct {
	// Node identifies the element for the life of the document.
	Node cdp.BackendNodeID
	// Role and Name are empty for an element found by selector.
	Role, Name string
	// Disabled is what the accessibility tree says.
	Disabled bool
}

func (e Element) String() string { return fmt.Sprintf("%s %q", e.Role, e.Name) }

// NotFoundError says that a query matched no element, or more than one. It lists what was there.
type NotFoundError struct {
	Query      Query
	Matches    []Element // more than one, or fewer than Nth
	Candidates []Element // same role, or everything with a role and a name when there is none of that role
}

const maxCandidates = 20

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("chromium: no %s", e.Query)
	list, head := e.Candidates, "; there were: "
	if len(e.Matches) > 0 {
		text = fmt.Sprintf("chromium: %d elements match %s", len(e.Matches), e.Query)
		list, head = e.Matches, ": "
	}
	if len(list) == 0 {
		return text + "; there was nothing with a role and a name"
	}
	words := make([]string, 0, maxCandidates+1)
	for i, element := range list {
		if i == maxCandidates {
			words = append(words, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		words = append(words, element.String())
	}
	return text + head + strings.Join(words, ", ")
}

// Find looks once and returns the one element that matches. To wait for it use [Page.WaitFor]; gestures wait by themselves.
func (p *Page) Find(ctx context.Context, q Query) (Element, error) {
	matches, err := p.FindAll(ctx, q)
	if err != nil {
		return Element{}, err
	}
	switch {
	case q.nth > 0 && len(matches) >= q.nth:
		return matches[q.nth-1], nil
	case q.nth == 0 && len(matches) == 1:
		return matches[0], nil
	}
	notFound := &NotFoundError{Query: q, Matches: matches}
	if len(matches) == 0 {
		if notFound.Candidates, err = p.candidates(ctx, q); err != nil {
			return Element{}, err
		}
	}
	return Element{}, notFound
}

// FindAll looks once and returns all matches in document order; [Query.Nth] is not applied.
func (p *Page) FindAll(ctx context.Context, q Query) ([]Element, error) {
	root, err := p.root(ctx, q)
	if err != nil {
		return nil, err
	}
	defer p.release(ctx)
	if q.selector != "" {
		return p.findBySelector(ctx, root, q.selector)
	}
	params := accessibility.QueryAXTreeParams{ObjectID: root, Role: q.role, AccessibleName: q.name}
	found, err := call(ctx, p.session, accessibility.QueryAXTree, params)
	if err != nil {
		return nil, fmt.Errorf("chromium: looking for %s: %w", q, err)
	}
	return pick(found.Nodes, q.match), nil
}

func pick(nodes []*accessibility.Node, match func(string) bool) []Element {
	var elements []Element
	for _, node := range nodes {
		name := axString(node.Name)
		if node.Ignored || node.BackendDOMNodeID == 0 || (match != nil && !match(name)) {
			continue
		}
		element := Element{Node: node.BackendDOMNodeID, Role: axString(node.Role), Name: name}
		for _, property := range node.Properties {
			if property.Name == accessibility.PropertyNameDisabled && string(property.Value.Value) == "true" {
				element.Disabled = true
			}
		}
		elements = append(elements, element)
	}
	return elements
}

func axString(value *accessibility.Value) string {
	if value == nil {
		return ""
	}
	return decodeString(value.Value)
}

// candidates lists what a person might have meant: all of the role, or everything that has a role and a name.
func (p *Page) candidates(ctx context.Context, q Query) ([]Element, error) {
	root, err := p.root(ctx, q)
	if err != nil {
		return nil, err
	}
	defer p.release(ctx)
	found, err := call(ctx, p.session, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: root})
	if err != nil {
		return nil, fmt.Errorf("chromium: listing what is there instead of %s: %w", q, err)
	}
	var same, others []Element
	for _, element := range pick(found.Nodes, nil) {
		switch {
		case q.role != "" && element.Role == q.role:
			same = append(same, element)
		case element.Name != "" && element.Role != "StaticText" && element.Role != "InlineTextBox":
			others = append(others, element)
		}
	}
	if len(same) > 0 {
		return same, nil
	}
	return others, nil
}

const objectGroup = "scaffold query" // remote objects of one look-up, released together

func (p *Page) release(ctx context.Context) {
	_, _ = call(ctx, p.session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
}

// root returns the element that the query searches in, as an object of the observer's world.
func (p *Page) root(ctx context.Context, q Query) (runtime.RemoteObjectID, error) {
	if q.within != nil {
		outer, err := p.Find(ctx, *q.within)
		if err != nil {
			return "", err
		}
		return p.resolve(ctx, outer.Node)
	}
	world, err := p.observerWorld(ctx)
	if err != nil {
		return "", err
	}
	document, err := call(ctx, p.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "document", ContextID: world, ObjectGroup: objectGroup,
	})
	if err != nil {
		return "", err
	}
	return document.Result.ObjectID, nil
}

func (p *Page) resolve(ctx context.Context, node cdp.BackendNodeID) (runtime.RemoteObjectID, error) {
	world, err := p.observerWorld(ctx)
	if err != nil {
		return "", err
	}
	resolved, err := call(ctx, p.session, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: node, ExecutionContextID: world, ObjectGroup: objectGroup,
	})
	if err != nil {
		return "", err
	}
	return resolved.Object.ObjectID, nil
}

func (p *Page) findBySelector(ctx context.Context, root runtime.RemoteObjectID, selector string) ([]Element, error) {
	list, err := call(ctx, p.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(selector) { return [...this.querySelectorAll(selector)] }",
		ObjectID:            root, ObjectGroup: objectGroup, Arguments: arguments(selector),
	})
	if err == nil && list.ExceptionDetails != nil {
		err = fmt.Errorf("chromium: selector %s: %s", selector, pageError(list.ExceptionDetails).Text)
	}
	if err != nil {
		return nil, err
	}
	own := true
	properties, err := call(ctx, p.session, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: list.Result.ObjectID, OwnProperties: &own})
	if err != nil {
		return nil, err
	}
	var elements []Element
	for _, property := range properties.Result {
		if property.Value == nil || property.Value.Subtype != "node" {
			continue
		}
		described, err := call(ctx, p.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: property.Value.ObjectID})
		if err != nil {
			return nil, err
		}
		elements = append(elements, Element{Node: described.Node.BackendNodeID, Role: described.Node.LocalName})
	}
	return elements, nil
}

func arguments(values ...any) []*runtime.CallArgument {
	list := make([]*runtime.CallArgument, len(values))
	for i, value := range values {
		encoded, err := json.Marshal(value)
		if err != nil {
			panic(fmt.Sprintf("chromium: argument %d is not JSON: %v", i, err)) // own code, plain values only
		}
		list[i] = &runtime.CallArgument{Value: encoded}
	}
	return list
}

// on calls a function of the observer's world with the element as this.
func on[T any](ctx context.Context, p *Page, node cdp.BackendNodeID, function string, values ...any) (T, error) {
	var zero T
	object, err := p.resolve(ctx, node)
	if err != nil {
		return zero, err
	}
	defer p.release(ctx)
	yes := true
	result, err := call(ctx, p.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: function, ObjectID: object, Arguments: arguments(values...), ReturnByValue: &yes, AwaitPromise: &yes,
	})
	return decodeObject[T](result.Result, result.ExceptionDetails, err)
}
