/** The body or joint that is looked at more closely. */

export class Selection {
  kind: "none" | "body" | "joint" = "none";
  index = -1;
  private readonly listeners: (() => void)[] = [];

  get isAny(): boolean {
    return this.kind !== "none";
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  choose(kind: "none" | "body" | "joint", index: number): void {
    const isSame = this.kind === kind && this.index === index;
    this.kind = isSame ? "none" : kind;
    this.index = isSame ? -1 : index;
    for (const listener of this.listeners) listener();
  }
}
