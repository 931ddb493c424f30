// Package host is a whole keylane host: the shipped composition, the one list of
// built-in plugins, and Boot, which makes a running host of them.
//
//	in, err := host.Boot(ctx, host.Options{Client: files, Layers: patches, Logger: logger})
//	…
//	server, _ := composition.Get(in, webserver.Service)
//	fmt.Println(server.URL())
//	…
//	err = in.Close(ctx)
//
// What should be different is said in layers, patches over the shipped rows (see
// package composition), or by filling an open slot of a booted host, as a model
// provider does that registers with llm.Service. There is no other switch.
//
// The rows of packages that know no composition (persistence, models, tools) are
// defined here; every other package brings its own Plugin.
package host
