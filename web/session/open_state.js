// What the reader has opened and closed, by name, so that rows that are drawn again look the
// same. An entry can be opened as a whole (a hit in it, `e`), and so can everything (`E`).

export class OpenState {
  constructor() {
    this.names = new Map();
    this.entries = new Set();
    this.all = false;
  }

  isOpen(name, ordinal) {
    const own = this.names.get(name);
    return own ?? (this.all || this.entries.has(ordinal));
  }

  // A run is open where one of its entries is.
  isOpenRow(name, ordinals, otherwise) {
    const own = this.names.get(name);
    if (own != null || this.all || otherwise)
      return own ?? true;
    return this.entries.size > 0 && ordinals().some((o) => this.entries.has(o));
  }

  set(name, open) {
    this.names.set(name, open);
    return open;
  }

  toggle(name, ordinal) {
    return this.set(name, !this.isOpen(name, ordinal));
  }

  openEntry(ordinal) {
    this.entries.add(ordinal);
  }

  // Names that were opened or closed by hand no longer count.
  setEntries(ordinals, open) {
    for (const o of ordinals)
      if (open)
        this.entries.add(o);
      else
        this.entries.delete(o);
    this.names.clear();
  }

  setAll(open) {
    this.all = open;
    this.names.clear();
    this.entries.clear();
  }
}
