/** Keys. One table: what is listed is what works. */

export interface Shortcut {
  keys: string[];
  label: string;
  act: () => void;
}

/** Listens to keys that are not typed into a field. */
export function listenToKeys(root: HTMLElement | Window, shortcuts: Shortcut[]): void {
  const byKey = new Map(shortcuts.flatMap((entry) => entry.keys.map((key) => [key, entry] as const)));
  root.addEventListener("keydown", (event) => {
    const key = event as KeyboardEvent;
    if (key.ctrlKey || key.metaKey || key.altKey || isTyping(key.target, key.key)) return;
    const found = byKey.get(key.key.length === 1 ? key.key.toLowerCase() : key.key);
    if (!found) return;
    key.preventDefault();
    found.act();
  });
}

/** Whether an element uses this key itself. */
function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement) {
    return target.type !== "range" || key.startsWith("Arrow") || key === "Home" || key === "End";
  }
  return target instanceof HTMLButtonElement && (key === " " || key === "Enter");
}
