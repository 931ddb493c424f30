// A clock in the page. It begins at the first trusted event of a kind, or at the navigation, and takes the time at which each mark is first
// true: it looks after every batch of mutations of the document. A mark may need the ones before it, so that words which stand there
// already do not count.
((from, marks, region) => {
  const clock = { from: from === "" ? 0 : undefined, seen: {}, painted: {}, mutations: 0 };
  let done;
  clock.over = new Promise((met) => (done = met));
  let owed = marks.length;
  const posted = new MessageChannel();
  const painting = [];
  posted.port1.onmessage = () => {
    const now = performance.now() - clock.from;
    for (const name of painting.splice(0)) {
      clock.painted[name] = now;
      owed--;
    }
    if (owed === 0) done({ seen: clock.seen, painted: clock.painted, mutations: clock.mutations });
  };
  const open = [...marks];
  const look = () => {
    if (clock.from === undefined) return;
    while (open.length > 0) {
      const mark = open[0];
      if (!mark.met()) return;
      open.shift();
      clock.seen[mark.name] = performance.now() - clock.from;
      requestAnimationFrame(() => {
        painting.push(mark.name);
        posted.port2.postMessage(null);
      });
    }
    observer.disconnect();
  };
  const observer = new MutationObserver((records) => {
    if (region !== "") {
      const root = document.querySelector(region);
      if (root) for (const record of records) if (root.contains(record.target)) clock.mutations++;
    }
    look();
  });
  const watch = () => observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  if (from === "") watch();
  else {
    const begin = (event) => {
      if (!event.isTrusted) return;
      removeEventListener(from, begin, true);
      clock.from = event.timeStamp;
      watch();
    };
    addEventListener(from, begin, true);
  }
  globalThis.measureClock = clock;
})
