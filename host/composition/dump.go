package composition

import (
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// Redacted stands in a dump for a secret that is set.
const Redacted = "(redacted)"

// secretSuffixes end the names of keys whose values a dump never shows. A key
// that merely says where a secret comes from, like apiKeyEnv, does not end so.
var secretSuffixes = []string{"apikey", "secret", "token", "password", "credential"}

// Dump writes the tree as YAML that Load accepts as a base, each row under a
// comment with its place. With plugins the configs are complete, defaults
// included, as a boot would use them, and an unknown plugin or a bad config is an
// error; without, they are as written. Secrets are redacted.
func (t *Tree) Dump(w io.Writer, plugins ...Plugin) error {
	configs := map[*row]*yaml.Node{}
	for _, r := range t.rows {
		configs[r] = r.config
	}
	if len(plugins) > 0 {
		all, problems := t.resolve(plugins)
		if len(problems) > 0 {
			return fmt.Errorf("composition: dumping: %w", problems[0])
		}
		for _, p := range all {
			n := &yaml.Node{}
			if err := n.Encode(p.config.Interface()); err != nil {
				return fmt.Errorf("composition: dumping: row %q: %w", p.row.id, err)
			}
			configs[p.row] = n
		}
	}
	root := &yaml.Node{Kind: yaml.SequenceNode}
	for _, r := range t.rows {
		root.Content = append(root.Content, dumpRow(r, configs[r]))
	}
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return fmt.Errorf("composition: dumping: %w", err)
	}
	return encoder.Close()
}

func dumpRow(r *row, config *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, HeadComment: r.at.String()}
	add := func(key string, value *yaml.Node) {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	}
	add(keyID, &yaml.Node{Kind: yaml.ScalarNode, Value: r.id})
	add(keyPlugin, &yaml.Node{Kind: yaml.ScalarNode, Value: r.plugin})
	if r.required {
		add(keyRequired, &yaml.Node{Kind: yaml.ScalarNode, Value: "true"})
	}
	if r.disabled {
		add(keyDisabled, &yaml.Node{Kind: yaml.ScalarNode, Value: "true"})
	}
	if config != nil && len(config.Content) > 0 {
		add(keyConfig, redact(config, ""))
	}
	return n
}

// redact copies n without the values of secret keys.
func redact(n *yaml.Node, key string) *yaml.Node {
	if isSecret(key) && !(n.Kind == yaml.ScalarNode && n.Value == "") {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: Redacted}
	}
	c := &yaml.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	for i, child := range n.Content {
		if n.Kind != yaml.MappingNode {
			c.Content = append(c.Content, redact(child, ""))
			continue
		}
		// A default that is absent (nil) is left out, since Load would refuse a null.
		if i%2 == 1 && !isNull(child) {
			name := n.Content[i-1]
			c.Content = append(c.Content, redact(name, ""), redact(child, name.Value))
		}
	}
	return c
}

func isSecret(key string) bool {
	key = strings.ToLower(key)
	for _, suffix := range secretSuffixes {
		if strings.HasSuffix(key, suffix) {
			return true
		}
	}
	return false
}
