package scaffold

import (
	"fmt"

	"keylane/host"
	"keylane/host/composition"
	"keylane/host/webserver"
)

// Neighbour boots another host over the same folders, as a person does who starts the program twice. It listens on a port of its own, and
// ends with the scenario. No model answers there. The result is its address, without a slash at the end.
func (s *Stage) Neighbour() string {
	s.Helper()
	s.timeline.note("lane", "boot another host")
	booted, err := host.Boot(s.Context, s.world.options)
	if err != nil {
		s.Fatalf("scaffold: booting another host: %v", err)
	}
	s.world.beside = append(s.world.beside, booted)
	server, ok := composition.Get(booted, webserver.Service)
	if !ok {
		s.Fatalf("scaffold: the other host serves no page; boot report:\n%s", booted.Report())
	}
	return fmt.Sprintf("http://%s", server.Address())
}
