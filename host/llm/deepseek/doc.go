// Package deepseek is the provider for DeepSeek and for whatever else speaks the OpenAI-compatible streaming form of
// POST {base}/chat/completions.
//
// [New] makes an [llm.Adapter]; nothing is sent before a request. Without a key the adapter is there, says so in its Info (reason
// missing-key) and fails calls with AUTH_MISSING, so that a page can explain what to do.
//
// The answer is read as it comes: each delta becomes a chunk at once, a block-start precedes the first delta of a block, and the
// block-ends follow at the end in the order of their indexes, then usage, then finish; this is the order the session log has. A stream that
// breaks off, however late, is a failure (TRANSPORT): nobody may act on a tool call whose arguments may be cut. Retrying is the caller's
// business. What the provider says in an error goes into Failure.Message unchanged and is for the log only (see [llm.DisplaySafe]).
//
// The wire format is the vendor's public API documentation for chat completions, streaming.
package deepseek
