package host

import (
	"keylane/host/agent"
	"keylane/host/api"
	"keylane/host/approval"
	"keylane/host/composition"
	"keylane/host/credentials"
	"keylane/host/home"
	"keylane/host/prompt"
	"keylane/host/settings"
	"keylane/host/spill"
	"keylane/host/webserver"
	"keylane/host/workspace"
)

// Plugins is the one list of what rows may name.
func Plugins() []composition.Plugin {
	return []composition.Plugin{
		clockPlugin(),
		home.Plugin(),
		settings.Plugin(),
		credentials.Plugin(),
		persistencePlugin(),
		titlePlugin(),
		titleModelPlugin(),
		llmPlugin(),
		deepseekPlugin(),
		recordedPlugin(),
		retryPlugin(),
		spill.Plugin(),
		toolsPlugin(),
		bashPlugin(),
		filesPlugin(),
		todoPlugin(),
		questionsPlugin(),
		askUserPlugin(),
		approval.Plugin(),
		prompt.Plugin(),
		skillsPlugin(),
		skillFilesystemPlugin(),
		skillToolPlugin(),
		instructionsPlugin(),
		environmentPlugin(),
		workspace.Plugin(),
		agent.Plugin(),
		compactionPlugin(),
		searchPlugin(),
		sessionSearchPlugin(),
		api.Plugin(),
		webserver.Plugin(),
	}
}
