// Package fault is a bad line: an HTTP proxy on the loopback interface that stands between a page and its server and, by a script, cuts,
// delays, repeats, reorders, loses and splits the frames of event streams, and refuses connections.
//
// # How it works
//
// The page is opened at the proxy's address. Every request goes on to the server under the name it came with: its Host and its Origin are
// both the proxy's, so a server that holds the two against each other, as it should against foreign pages, finds nothing wrong. An answer
// of type text/event-stream is read block by block (what stands between two blank lines); a block with data is a frame, and is counted.
// A Fault names a stream by its path, a frame by its number among those that match, and what is done to it. It happens once (or to each of them); Pending tells
// which have not happened yet, because a fault that never comes has proved nothing.
//
//	proxy, err := fault.Start(server, fault.Fault{Path: "/api/events.mux", Like: regexp.MustCompile(`tool/result`), Do: fault.CutBefore()})
//
// Besides the script the test acts itself: Cut ends the streams that are open, Hold keeps new requests waiting until Resume names the server
// that answers from now on (it may be another one, on another port: the page does not see that), Refuse resets new connections.
//
// # What it is not
//
// It knows the framing of event streams and no product: paths and patterns come from whoever uses it. It has no clock: a frame that is
// delayed waits for frames behind it, or for the test. Frames are counted over all connections of a path, in the order in which the proxy
// reads them; where several pages read one path, a number is any of theirs. It throws no dice.
package fault
