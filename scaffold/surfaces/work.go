package surfaces

import (
	"fmt"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// Work is the scenario that goes through a session, from the start page to its deletion, with everything that can be opened on the way.
// It is answered by fixtures/accessibility.
func Work(page chromium.ContextOptions, look Look) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "accessibility",
		Fixture: true,
		Patches: scaffold.Patch("the shipped mode", "- id: approval\n  config: {mode: ask}\n"),
		Page:    page,
		Drive: func(s *scaffold.Stage) {
			w := walk{s, page, look}
			s.Open("/")
			w.start()
			w.turn()
		},
		Check: func(s *scaffold.Stage) {
			w := walk{s, page, look}
			s.WantTurns("completed", "completed")
			w.conversation()
			w.settings()
			w.sidebar()
			w.trajectory()
			s.Open("/s/no-such-session")
			w.see("a session that is not there", `.conversation-state .failure`)
		},
	}
}

// start is the page before there is a session.
func (w walk) start() {
	w.see("the start", `.start-workspace:not(:disabled)`)
	w.write("/")
	w.see("commands to choose from", `[role=listbox]`)
	w.leave(`[role=listbox]`)
	w.Press("Backspace")
	w.press(`.start-workspace`)
	w.see("places to work in", `.menu`)
	w.Press("End")
	w.Press("Enter")
	w.see("a dialog of folders", `.folders [role=option]`)
	w.press(`.folders-tools button`)
	w.see("a name for a new folder", `.folders-new input`)
	w.leave(`.folders-new`)
	w.press(`.folders-way > .icon-button:last-child`)
	w.see("a path that is typed", `.folders-way input`)
	w.leave(`.folders-way input`)
	w.leave(`dialog[open]`)
	w.run(`(() => {
		const choice = document.querySelector(".composer-access select");
		choice.value = "full";
		choice.dispatchEvent(new Event("change", { bubbles: true }));
		return 1;
	})()`)
	w.see("full access before it is confirmed", `.composer-full`)
	w.press(`.composer-full button`)
}

// turn has every card that waits for a person, and the docks above the composer.
func (w walk) turn() {
	w.send(everything)
	w.see("a command that waits", `.approval-command`)
	w.press(`.composer-foot [aria-haspopup=menu]`)
	w.see("what Enter does meanwhile", `.busy-menu`)
	w.leave(`.busy-menu`)
	w.send(another)
	w.see("a queue", `[data-queue-item]`)
	w.press(`[data-queue-item] [data-edit]`)
	w.see("a queued message that is changed", `.queue-editor`)
	w.leave(`.queue-editor`)
	w.press(`.approval-foot .button-primary`)
	w.see("a card with questions, and to-dos", `.question-head`)
	w.press(`.question-head button`)
	w.see("a change that waits", `.approval:not(:has(.approval-command)) .approval-scroll`)
	w.press(`.approval-foot .button-primary`)
	w.Settle()
}

// conversation is the session at rest.
func (w walk) conversation() {
	w.see("a conversation", `main [data-row-kind=user]`)
	if rows := w.run(`[...document.querySelectorAll("main [data-row-kind] [aria-expanded=false]")].map((button) => button.click()).length`); rows == 0 {
		w.Errorf("surfaces: no row of the conversation opens")
	}
	w.Settle()
	w.look(w.Stage, "a conversation with all rows open")
	w.run(`(document.querySelector("[data-conversation-scroll]").scrollTop = 0, 1)`)
	w.look(w.Stage, "the beginning of a conversation")
	w.press(`.topbar > .icon-button:last-child`)
	w.see("details of nothing yet", `[data-details-column] .details-empty`)
	w.leave(`[data-details-column]`)
	w.blur()
	w.Press("?")
	w.see("the shortcuts", `.shortcuts`)
	w.leave(`dialog[open]`)
}

// settings goes through the sections of the dialog.
func (w walk) settings() {
	w.toSidebar()
	w.press(`.sidebar-foot .button`)
	w.WaitFor(chromium.CSS(`.settings-tab[aria-current]`).Nth(1))
	for i := range w.count(`.settings-tab`) {
		w.press(fmt.Sprintf(`.settings-tab:nth-child(%d)`, i+1))
		w.Settle()
		w.see(fmt.Sprintf("settings, section %d", i+1), `.settings-section > *`)
	}
	w.leave(`dialog[open]`)
}

// sidebar opens what rows and the line above them have, and searches.
func (w walk) sidebar() {
	w.toSidebar()
	w.see("the sidebar", `.tree-row[data-session-id]`)
	for _, row := range []struct{ name, selector string }{{"session", `.tree-row[data-session-id]`}, {"workspace", `.tree-head`}} {
		menu := row.selector + ` [aria-haspopup=menu]`
		w.press(menu)
		w.see("what can be done with a "+row.name, `.menu`)
		w.press(`.menu-item:has([data-icon=pencil])`)
		w.see("renaming a "+row.name, `dialog[open] .sidebar-field`)
		w.leave(`dialog[open]`)
		w.press(menu)
		w.press(`.menu-item-danger`)
		w.see("deleting a "+row.name, `dialog[open] .button-danger`)
		w.leave(`dialog[open]`)
	}
	w.press(`.sidebar-view [aria-haspopup=menu]`)
	w.see("how sessions are grouped", `.menu`)
	w.leave(`.menu`)
	w.press(`.sidebar-view [aria-haspopup=dialog]`)
	w.see("a new workspace", `dialog[open] .sidebar-field`)
	w.leave(`dialog[open]`)
	w.press(`input[type=search]`)
	w.typed("slanted")
	w.Press("Enter")
	w.see("what a search finds", `.found-snippet mark`)
	w.Press("Control+a")
	w.typed("nothing is called that")
	w.Press("Enter")
	w.see("a search that finds nothing", `.search:not(:has([role=treeitem])) .search-note p:not(:empty)`)
	w.Press("Escape")
}

// inspected are the tabs of a record's details, by their place.
const inspected = 5

// trajectory is the other view of the session.
func (w walk) trajectory() {
	w.Open("/s/" + w.SessionID() + "/trajectory")
	w.see("the trajectory", `.record-table`)
	w.press(`.record[data-kind=tool] .record-button`)
	w.WaitFor(chromium.CSS(`.inspector`).Nth(1))
	for i := range inspected {
		w.press(fmt.Sprintf(`.inspector-tabs .tab:nth-child(%d)`, i+1))
		w.see(fmt.Sprintf("a record's details, part %d", i+1), fmt.Sprintf(`.inspector-tabs .tab:nth-child(%d)[aria-selected=true]`, i+1))
	}
	w.press(`.details-close button`)
	w.press(`.trajectory-search input`)
	w.typed("green")
	w.see("a search in the trajectory", `[data-search-match]`)
}
