// The page before Python is there: frames that were drawn when the site was written.
export class Opening {
  constructor() { Object.assign(this, {data: null, number: 0, isLeft: false}); }

  async load(url) { this.data = await fetch(url).then(response => response.json()); }

  get frame() { return this.data.frames[this.number]; }

  read(frame) {
    const {names, parts} = this.data;
    return Object.fromEntries(names.map((name, at) => [name, parts[frame.parts[at]]]));
  }

  // What the page shows in this frame, as Python says it later.
  show(isCompact) {
    const {pictures, lines} = this.data, numbers = pictures[this.frame.pictures[Number(isCompact)]];
    return {...this.read(this.frame), pictures: [numbers.map(at => lines[at]).join("\n")]};
  }

  // Goes where an action leads; after one that leads to no frame, only Python knows.
  follow(action, {number, checked}) {
    const name = [action, number ?? checked].filter(x => x !== undefined).join(" ");
    const next = this.isLeft ? undefined : this.frame.moves[name];
    this.isLeft = next === undefined;
    this.number = next ?? this.number;
  }

  // Goes to the frame of an address, if one has it.
  find(link) {
    const number = this.data.frames.findIndex(frame => this.read(frame).link === link);
    this.isLeft = number < 0;
    this.number = Math.max(number, 0);
  }
}
