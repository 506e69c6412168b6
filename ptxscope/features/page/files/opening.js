// The page before Python is ready: frames that were drawn when the site was written.
export class Opening {
  constructor() { Object.assign(this, {data: null, number: 0, isLeft: false}); }

  async load(url) { this.data = await fetch(url).then(response => response.json()); }

  get frame() { return this.data.frames[this.number]; }

  read(frame) {
    const {names, parts} = this.data;
    return Object.fromEntries(names.map((name, at) => [name, parts[frame.parts[at]]]));
  }

  // The contents of the page in this frame, in the form that Python sends later.
  show(isCompact) {
    const {pictures, lines} = this.data, numbers = pictures[this.frame.pictures[Number(isCompact)]];
    return {...this.read(this.frame), pictures: [numbers.map(at => lines[at]).join("\n")]};
  }

  // Follows an action to its frame; without a frame, Python must answer.
  follow(action, {number, checked}) {
    const name = [action, number ?? checked].filter(x => x !== undefined).join(" ");
    const next = this.isLeft ? undefined : this.frame.moves[name];
    this.isLeft = next === undefined;
    this.number = next ?? this.number;
  }

  // Goes to the frame of an address, if there is one.
  find(link) {
    const number = this.data.frames.findIndex(frame => this.read(frame).link === link);
    this.isLeft = number < 0;
    this.number = Math.max(number, 0);
  }
}
