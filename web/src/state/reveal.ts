/** Where the inspector stands below the fold, what was just opened in it would stay unseen. */
export function revealInspector(): void {
  const inspector = document.getElementById("inspector");
  const top = inspector?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > innerHeight / 2) inspector?.scrollIntoView({ block: "start" });
}
