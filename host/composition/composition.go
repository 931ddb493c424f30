// Package composition reads the tree of rows that a host is made of, applies
// patches to it, starts the rows' plugins in the order their services demand,
// and disposes them in reverse.
//
// A row says which plugin runs under which id and with which config:
//
//   - id: webserver
//     plugin: webserver
//     required: true          # boot fails when it has to wait for ever
//     config: {host: 127.0.0.1, port: 3080}
//
// The first layer is the base, a list of rows. Every later layer is a list of
// patches, and there is one mechanism for all of them (shipped overlay, the
// person's own file, command line, a test):
//
//   - id: webserver           # names an existing row
//     plugin: webserver       # optional: an assertion, never a replacement
//     config: {port: 0}       # replaces the row's config WHOLE, never merges
//   - id: llm-deepseek
//     disabled: true
//   - insert:                 # new rows, at the end or after a row
//   - {id: mine, plugin: tool-bash}
//     after: tools
//
// Whatever does not fit is an error that names file, line, column and row:
// an unknown key, an id that matches no row, an assertion that does not hold, a
// second row with the same id, a config that its plugin does not know. There are
// no anchors, merges, expressions or several documents: what is written is
// what is meant.
//
// A plugin is a value made by Define. It declares the services it needs and
// provides; the start order follows from that, and rows that could start at the
// same time start in tree order. Use it like this:
//
//	var Service = composition.NewService[*Registry]("tools")
//
//	func Plugin() composition.Plugin {
//		return composition.Define("tools", "the tools an agent may call", composition.Definition[Config]{
//			Needs:    []composition.Key{clock.Service},
//			Provides: []composition.Key{Service},
//			Start: func(ctx context.Context, s *composition.Scope, c Config) error {
//				registry := NewRegistry(composition.Need(s, clock.Service))
//				composition.Provide(s, Service, registry)
//				s.OnDispose("registry", registry.Close)
//				return nil
//			},
//		})
//	}
//
// A row that fails to start is told of in the Report and takes with it only the
// rows that need its services; when one of those, or the row itself, is required,
// the boot fails.
//
// Do not look services up later than Start, do not keep the Scope, do not
// start a goroutine that no OnDispose ends.
package composition

// Key names a service. Every Service is one; there is no other way to make one.
type Key interface {
	// Name is the text that reports and errors show.
	Name() string
	key()
}

// Service is the typed name of something one row provides and others need.
// Services are compared by name; two services of one name are the same slot.
type Service[T any] struct{ name string }

// NewService makes the service called name. Call it once per service, in a
// package variable of the package that owns T.
func NewService[T any](name string) Service[T] { return Service[T]{name: name} }

// Name returns the service's name.
func (s Service[T]) Name() string { return s.name }

func (Service[T]) key() {}

// Supplied is a service that the embedding program hands in instead of a row.
type Supplied struct {
	name  string
	value any
}

// Supply hands the value v to the boot as the service svc. A row that also
// provides svc is a boot error, as two providing rows are.
func Supply[T any](svc Service[T], v T) Supplied { return Supplied{name: svc.name, value: v} }

// RowInfo tells which row something belongs to. It is a copy; changing it changes
// nothing.
type RowInfo struct {
	ID       string
	Plugin   string
	Required bool
	// Place is where the row was written, "file:line:column".
	Place string
	// Layer is the name of the last layer that set something of the row.
	Layer string
}
