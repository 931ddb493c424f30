// Package script is a model provider that answers from a small file, over HTTP, in the vendor's wire format.
//
// Where there is no key, a fixture is recorded against it: the host talks to it through its real adapter, so that what is recorded is what
// the real adapter makes of a real event stream. The file is YAML and strict; every mistake is an error with line and column:
//
//	replies:
//	  - expect: list the files            # must occur in the last message of the request: a prompt, a tool's result, or context that the host put behind it
//	    reasoning: I should look.
//	    text: One moment.
//	    toolCalls:
//	      - name: bash
//	        arguments: {command: ls, description: List the files}
//	    usage: {inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, reasoningTokens: 8}
//	    chunkRunes: 3                     # characters per delta; default 4
//	    delayMs: 5                        # before each delta; default 0
//	  - text: There are three files.
//	  - expect: too much
//	    error: {status: 429, message: slow down, retryAfterSeconds: 1}
//	  - expect: a cut
//	    text: This is never
//	    cutAfterChunks: 2                 # the connection breaks after two deltas
//	  - text: This is never finished
//	    hangAfterChunks: 3                # after three deltas nothing more comes until the client goes away
//
// A request takes the first reply that is not served yet and whose expect fits; one without expect fits everything. A request that nothing
// fits is refused with 400 and is a problem, as is a reply nobody asked for: see [Server.Problems]. What came, and how each
// answer ended, is in [Server.Exchanges]. The server is for recording, for tests of the adapter and for the scenarios about the adapter;
// all others replay fixtures (package replay).
package script
