// Package llm is the seam between the agent and whatever answers it: a vendor's HTTP API, a recorded session, or a test.
//
// A provider is an [Adapter]: it publishes a catalogue ([Info]) and answers a [Request] with a [Stream] of [Chunk] values. Adapters
// are registered in a [Registry], and the agent asks the registry, never an adapter:
//
//	stream, err := registry.Stream(ctx, request)   // err: only NO_ADAPTER
//	defer stream.Close()
//	var assembler llm.Assembler
//	for {
//		chunk, err := stream.Next()                // err: only io.EOF, after the finish chunk
//		...
//		assembler.Add(chunk)
//	}
//
// The registry normalises what adapters do: every failure arrives as a last chunk of type finish whose reason carries a
// [session.Failure], nothing follows a finish, and a stream that ends without one is a failure (TRANSPORT). So whoever reads a
// stream logs the chunks it got, and the log alone can answer the same request again (host/llm/recorded, replay).
//
// Failures are data. [FailureOf] reads them from any error that offers them and never by its type, and [DisplaySafe] is the one
// mapping from a failure to what a person may see: do not print Failure.Message anywhere else, providers echo keys in it.
//
// Retries are not made here but by whoever calls, as the mounted [RetryPolicy] says (host/llm/retry is one); without one a failure stands.
package llm
