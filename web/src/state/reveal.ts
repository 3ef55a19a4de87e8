/** Where the inspector stands below the fold, what was just opened in it would stay unseen. */
export function revealInspector(): void {
  reveal(document.getElementById("inspector"));
}

/** Scrolls an element to the top, unless it begins in the upper half of the window already. */
export function reveal(element: Element | null): void {
  const top = element?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > innerHeight / 2) element?.scrollIntoView({ block: "start" });
}
