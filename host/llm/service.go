package llm

import "keylane/host/composition"

// Service is the host's provider registry.
var Service = composition.NewService[*Registry]("llm")
