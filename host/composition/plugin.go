package composition

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
)

// Plugin is a kind of row. Define makes them.
type Plugin struct {
	name     string
	doc      string
	needs    []string
	provides []string
	defaults func() reflect.Value // settable, holds the defaults
	start    func(ctx context.Context, s *Scope, config reflect.Value) error
}

// Name is what rows write under plugin.
func (p Plugin) Name() string { return p.name }

// Doc is one sentence on what the plugin is for.
func (p Plugin) Doc() string { return p.doc }

// Definition is what a plugin consists of. C is its config, a struct whose fields
// carry yaml tags; struct{} when it has none.
type Definition[C any] struct {
	// Needs lists the services Start may ask for.
	Needs []Key
	// Provides lists the services Start hands out, all of them, before it returns.
	Provides []Key
	// Defaults returns the config that a row's own keys are laid over; nil means C's zero.
	Defaults func() C
	// Start brings the row up. Its ctx ends with the boot: what lives longer has its
	// own context, ended by an OnDispose. When Start fails, what it registered
	// with OnDispose so far is disposed at once.
	Start func(ctx context.Context, s *Scope, c C) error
}

// Define makes a plugin. doc is one sentence.
func Define[C any](name, doc string, d Definition[C]) Plugin {
	p := Plugin{name: name, doc: doc}
	for _, k := range d.Needs {
		p.needs = append(p.needs, k.Name())
	}
	for _, k := range d.Provides {
		p.provides = append(p.provides, k.Name())
	}
	p.defaults = func() reflect.Value {
		v := reflect.New(reflect.TypeFor[C]()).Elem()
		if d.Defaults != nil {
			v.Set(reflect.ValueOf(d.Defaults()))
		}
		return v
	}
	p.start = func(ctx context.Context, s *Scope, config reflect.Value) error {
		return d.Start(ctx, s, config.Interface().(C))
	}
	return p
}

// Scope is what a row's Start works with. It is valid during Start only.
type Scope struct {
	row       RowInfo
	plugin    Plugin
	services  map[string]any // of the instance, all rows'
	provided  map[string]any // by this row
	disposers []disposer
	misuse    []error
	logger    *slog.Logger
}

type disposer struct {
	name string
	run  func(context.Context) error
}

// Provide hands v out as svc. The plugin must have declared svc in Provides, and
// hands it out once; otherwise the boot fails and says so.
func Provide[T any](s *Scope, svc Service[T], v T) {
	if !contains(s.plugin.provides, svc.name) {
		s.misuse = append(s.misuse, fmt.Errorf("plugin %q provides service %q without declaring it", s.plugin.name, svc.name))
		return
	}
	if _, twice := s.provided[svc.name]; twice {
		s.misuse = append(s.misuse, fmt.Errorf("plugin %q provides service %q twice", s.plugin.name, svc.name))
		return
	}
	s.provided[svc.name] = v
}

// Need returns the service svc, which the plugin must have declared in Needs;
// otherwise the boot fails and says so (and T's zero is returned).
func Need[T any](s *Scope, svc Service[T]) T {
	var none T
	if !contains(s.plugin.needs, svc.name) {
		s.misuse = append(s.misuse, fmt.Errorf("plugin %q uses service %q without declaring it", s.plugin.name, svc.name))
		return none
	}
	v, ok := s.services[svc.name].(T)
	if !ok {
		s.misuse = append(s.misuse, fmt.Errorf("service %q is a %T, plugin %q wants a %s",
			svc.name, s.services[svc.name], s.plugin.name, reflect.TypeFor[T]()))
		return none
	}
	return v
}

// OnDispose registers what ends something that Start began. Disposers run in
// reverse order, each exactly once, whether or not others failed; name says in
// errors what could not be ended.
func (s *Scope) OnDispose(name string, run func(context.Context) error) {
	s.disposers = append(s.disposers, disposer{name, run})
}

// Row tells which row this is.
func (s *Scope) Row() RowInfo { return s.row }

// Logger returns a logger that names the row.
func (s *Scope) Logger() *slog.Logger { return s.logger }

// begin runs Start and checks that it kept its declaration. A panic becomes an
// error: one row that fails must not take the disposal of the others with it.
func (s *Scope) begin(ctx context.Context, config reflect.Value) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		err = errors.Join(append(s.misuse, err)...)
	}()
	if err := s.plugin.start(ctx, s, config); err != nil {
		return err
	}
	for _, name := range s.plugin.provides {
		if _, ok := s.provided[name]; !ok {
			return fmt.Errorf("plugin %q did not provide service %q", s.plugin.name, name)
		}
	}
	return nil
}
