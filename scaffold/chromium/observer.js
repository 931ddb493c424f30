// Runs in an isolated world of every new document, before the page's own scripts.
// It reports to Go through the binding: changed root attributes at once, other mutations
// at most once per animation frame. "count" is read by Go to see that nothing happened.
((names, binding) => {
  if (window !== window.top) return;
  const report = globalThis[binding];
  const state = (globalThis.keptCount ??= { count: 0 });
  let last = {}, waiting = false;
  const attributes = () => {
    const root = document.documentElement, changed = {};
    if (!root) return;
    for (const name of names) {
      const value = root.getAttribute(name);
      if (value !== (last[name] ?? null)) changed[name] = last[name] = value;
    }
    if (Object.keys(changed).length) report(JSON.stringify({ attributes: changed }));
  };
  const mutated = () => {
    state.count++;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; report("{}"); });
  };
  new MutationObserver(() => { attributes(); mutated(); })
    .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  // What can change an element's place, value or focus without a mutation.
  for (const type of ["input", "change", "focusin", "focusout", "scroll", "toggle", "transitionend", "animationend", "load"])
    document.addEventListener(type, mutated, { capture: true, passive: true });
  for (const type of ["resize", "load"]) window.addEventListener(type, mutated, { passive: true });
  attributes();
  report("{}");
})
