package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"keylane/host/llm"
)

// Registry holds the tools of a host. It is safe for concurrent use; see [NewRegistry].
type Registry struct {
	mu    sync.RWMutex // guards tools
	tools map[string]*registration
}

type registration struct {
	tool   Tool
	schema llm.ToolSchema
	check  *jsonschema.Schema
}

// NewRegistry makes an empty registry.
func NewRegistry() *Registry { return &Registry{tools: map[string]*registration{}} }

// Register adds a tool under its schema's name. A taken name, or parameters that are not the JSON Schema of an object, is an error.
// Dispose may be called more than once; running calls go on.
func (r *Registry) Register(t Tool) (dispose func(), err error) {
	schema := t.Schema()
	if schema.Name == "" {
		return nil, errors.New("tool: registering a tool: it has no name")
	}
	check, err := compile(schema)
	if err != nil {
		return nil, fmt.Errorf("tool: registering %q: %w", schema.Name, err)
	}
	entry := &registration{tool: t, schema: schema, check: check}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tools[schema.Name] != nil {
		return nil, fmt.Errorf("tool: registering %q: a tool of that name is already registered", schema.Name)
	}
	r.tools[schema.Name] = entry
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.tools[schema.Name] == entry {
			delete(r.tools, schema.Name)
		}
	}, nil
}

// Schemas is what a model is shown, sorted by name.
func (r *Registry) Schemas() []llm.ToolSchema {
	r.mu.RLock()
	defer r.mu.RUnlock()
	schemas := make([]llm.ToolSchema, 0, len(r.tools))
	for _, entry := range r.tools {
		schemas = append(schemas, entry.schema)
	}
	sort.Slice(schemas, func(i, j int) bool { return schemas[i].Name < schemas[j].Name })
	return schemas
}

// Parallel tells whether calls of a tool may run beside others; false for a tool that is not there.
func (r *Registry) Parallel(name string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	entry := r.tools[name]
	if entry == nil {
		return false
	}
	p, ok := entry.tool.(Parallel)
	return ok && p.Parallel()
}

// Ask tells what a call needs the person's leave for; false for a call that needs none: its tool is not [Asking], or Execute will refuse
// it unrun. Whoever runs calls asks this before Execute, with the same arguments.
func (r *Registry) Ask(ctx context.Context, name, rawArguments string, c Call) (request Request, asks bool) {
	r.mu.RLock()
	entry := r.tools[name]
	r.mu.RUnlock()
	if entry == nil {
		return Request{}, false
	}
	asking, ok := entry.tool.(Asking)
	raw := withDefault(rawArguments)
	if !ok || entry.validate(raw) != nil {
		return Request{}, false
	}
	defer func() {
		if cause := recover(); cause != nil {
			failed := panicked(name, cause)
			request, asks = Request{Refusal: &failed}, true
		}
	}()
	c.Arguments = json.RawMessage(raw)
	return asking.Ask(ctx, c), true
}

// Present is how a call looks before it has a result, for the page; nil when its tool has nothing to say about it: one that is not there
// or not [Presenting], arguments that it does not accept, a presenter that fails. Cwd is the session's working directory.
func (r *Registry) Present(name, rawArguments, cwd string) (view json.RawMessage) {
	r.mu.RLock()
	entry := r.tools[name]
	r.mu.RUnlock()
	if entry == nil {
		return nil
	}
	presenting, ok := entry.tool.(Presenting)
	raw := withDefault(rawArguments)
	if !ok || entry.validate(raw) != nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			view = nil
		}
	}()
	view = presenting.Present(Call{Cwd: cwd, Arguments: json.RawMessage(raw)})
	if !json.Valid(view) {
		return nil
	}
	return view
}

// withDefault gives the arguments of a model that wrote none.
func withDefault(rawArguments string) string {
	if strings.TrimSpace(rawArguments) == "" {
		return "{}"
	}
	return rawArguments
}

// Execute runs one call. RawArguments is the text the model produced; empty text stands for {}. It sets c.Arguments. Whatever is wrong
// with the call, and a tool that panics, comes back as a result with IsError.
func (r *Registry) Execute(ctx context.Context, name, rawArguments string, c Call) Result {
	r.mu.RLock()
	entry := r.tools[name]
	r.mu.RUnlock()
	if entry == nil {
		return Failed("UnknownToolError", CodeUnknownTool, fmt.Sprintf("there is no tool %q; available: %s", name, r.names()))
	}
	rawArguments = withDefault(rawArguments)
	if err := entry.validate(rawArguments); err != nil {
		return Failed("InvalidArgumentsError", CodeInvalidArguments,
			fmt.Sprintf("invalid arguments for %s: %v. Correct them and call the tool again.", name, err))
	}
	c.Arguments = json.RawMessage(rawArguments)
	return run(ctx, entry.tool, name, c)
}

// run keeps a broken tool from taking the host down with it.
func run(ctx context.Context, t Tool, name string, c Call) (result Result) {
	defer func() {
		if cause := recover(); cause != nil {
			result = panicked(name, cause)
		}
	}()
	return t.Run(ctx, c)
}

func panicked(name string, cause any) Result {
	return Failed("ToolPanicError", CodeInternal, fmt.Sprintf("the tool %s failed internally: %v", name, cause))
}

func (r *Registry) names() string {
	schemas := r.Schemas()
	if len(schemas) == 0 {
		return "none"
	}
	names := make([]string, len(schemas))
	for i, schema := range schemas {
		names[i] = schema.Name
	}
	return strings.Join(names, ", ")
}

func compile(schema llm.ToolSchema) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Parameters))
	if err != nil {
		return nil, fmt.Errorf("its parameters are not JSON: %w", err)
	}
	object, ok := document.(map[string]any)
	if comment, broken := object["$comment"].(string); broken && len(object) == 1 {
		return nil, fmt.Errorf("its parameters have no JSON Schema: %s", comment) // see Parameters
	}
	if !ok || object["type"] != "object" {
		return nil, errors.New(`its parameters must be a JSON Schema of type "object"`)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // a schema refers to nothing outside itself
	const location = "tool:///parameters"
	if err := compiler.AddResource(location, document); err != nil {
		return nil, fmt.Errorf("its parameters are not a JSON Schema: %w", err)
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("its parameters are not a JSON Schema: %w", err)
	}
	return compiled, nil
}

func (e *registration) validate(raw string) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(raw)) // also bounds the nesting
	if err != nil {
		return notJSON(err)
	}
	if err := strictJSON(raw); err != nil {
		return err
	}
	err = e.check.Validate(value)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return errors.New(strings.Join(leaves(invalid), "; "))
	}
	return err
}

// leaves words the causes of a schema violation, one each, with the place as a JSON pointer.
func leaves(invalid *jsonschema.ValidationError) []string {
	if len(invalid.Causes) == 0 {
		place := "/" + strings.Join(invalid.InstanceLocation, "/")
		return []string{fmt.Sprintf("at %s: %s", place, invalid.ErrorKind.LocalizedString(printer))}
	}
	var words []string
	for _, cause := range invalid.Causes {
		words = append(words, leaves(cause)...)
	}
	sort.Strings(words)
	return words
}

// strictJSON refuses what a lenient parser would let pass in silence: a key that is there twice, and text after the value.
func strictJSON(raw string) error {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	if err := strictValue(decoder, ""); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("not JSON: there is text after the value")
	}
	return nil
}

func strictValue(decoder *json.Decoder, place string) error {
	token, err := decoder.Token()
	if err != nil {
		return notJSON(err)
	}
	switch token {
	case json.Delim('{'):
		seen := map[string]bool{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return notJSON(err)
			}
			name := key.(string) // the decoder accepts nothing else as a key
			if seen[name] {
				return fmt.Errorf("at %s/%s: the key is there twice", place, name)
			}
			seen[name] = true
			if err := strictValue(decoder, place+"/"+name); err != nil {
				return err
			}
		}
	case json.Delim('['):
		for i := 0; decoder.More(); i++ {
			if err := strictValue(decoder, fmt.Sprintf("%s/%d", place, i)); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	if _, err := decoder.Token(); err != nil { // the closing bracket
		return notJSON(err)
	}
	return nil
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not JSON: the text ends too early")
	}
	return fmt.Errorf("not JSON: %w", err)
}
