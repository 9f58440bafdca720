/** Text that is JSON already (from SQL): sent as it is. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
