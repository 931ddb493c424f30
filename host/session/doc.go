// Package session is the session log: what happened in one conversation between a person, a model and its tools, as an append-only
// sequence of events, and everything that is derived from that sequence.
//
// The log is the only truth. The model's history, the title, the inbox, the page's rows are all functions of it (History, Project,
// TurnPage), so that reading a log again tomorrow gives the same session. A live session is a Log: Append adds one event, Observe tells
// others about it. A log in a file is Read and written by Write; the store (host/persistence) uses ParseHeader, DecodeRow and AppendRows.
//
// The format is version 0 of dsh's session log: JSON Lines, a header line first, then one storage row per line: an event
// {"type","seq","time","data",…} or a packed run of stream chunks. What we write has dsh's newest message shapes; what we read may be older
// (flat, without message ids) or projected (a fixture without seq and time). Older shapes are upgraded when they are interpreted
// (MessageOf), never on disk: Event.Data stays as it was. Unknown event types are kept and never make a log unreadable.
//
// Do not change Event.Data after an event was made: events share it. Do not derive state from anything that is not in the log.
package session
