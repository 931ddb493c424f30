package files

import (
	"regexp"
	"strings"
)

// glob is a pattern for paths with slashes: * and ? stay inside one name, ** spans folders, [a-z] is a set, {a,b} a choice. A pattern
// without a slash is about names, at any depth.
type glob struct{ expression *regexp.Regexp }

func compileGlob(pattern string) (*glob, error) {
	full := strings.TrimPrefix(pattern, "./")
	if !strings.Contains(full, "/") {
		full = "**/" + full
	}
	text, err := translate(full)
	if err != nil {
		return nil, err
	}
	compiled, err := compileExpression(text)
	if err != nil {
		return nil, refuse(CodeInvalidInput, "%q is not a glob pattern: %v", pattern, err)
	}
	return compiled, nil
}

// compileExpression makes a glob of what translate returned.
func compileExpression(text string) (*glob, error) {
	expression, err := regexp.Compile(`^(?s:` + text + `)$`)
	if err != nil {
		return nil, err
	}
	return &glob{expression}, nil
}

func (g *glob) match(name string) bool { return g.expression.MatchString(name) }

func translate(pattern string) (string, error) {
	var b strings.Builder
	choices := 0
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, "**/") && (i == 0 || pattern[i-1] == '/'):
			b.WriteString(`(?:[^/]+/)*`)
			i += 3
			continue
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			i += 2
			continue
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
		case rest[0] == '?':
			b.WriteString(`[^/]`)
		case rest[0] == '{':
			b.WriteString(`(?:`)
			choices++
		case rest[0] == '}' && choices > 0:
			b.WriteString(`)`)
			choices--
		case rest[0] == ',' && choices > 0:
			b.WriteString(`|`)
		case rest[0] == '[':
			end := strings.IndexByte(rest[min(2, len(rest)):], ']') // "[]" is no set
			if end < 0 {
				return "", refuse(CodeInvalidInput, "the glob pattern %q has a [ without its ]", pattern)
			}
			set := rest[1 : 2+end]
			if strings.HasPrefix(set, "!") {
				set = "^/" + set[1:]
			}
			b.WriteString("[" + strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(set) + "]")
			i += len(rest[:3+end])
			continue
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
			continue
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
		i++
	}
	if choices > 0 {
		return "", refuse(CodeInvalidInput, "the glob pattern %q has a { without its }", pattern)
	}
	return b.String(), nil
}
