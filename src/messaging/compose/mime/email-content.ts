export interface NamedAddress {
  name?: string;
  address: string;
}

export interface EmailContent {
  from: NamedAddress;
  to: NamedAddress;
  replyTo?: NamedAddress;
  /** One line; see `singleLine`. */
  subject: string;
  /** Shown by mail programs next to the subject; hidden at the start of the HTML. */
  previewText?: string;
  /** At least one of the two is set. A missing text part is generated from the HTML. */
  html?: string;
  text?: string;
  /** Further headers, such as List-Unsubscribe; headers that this module sets itself are refused. */
  headers?: Record<string, string>;
  /** `<unique@domain>`, the same for every attempt to hand over one message. */
  messageId: string;
  date: Date;
}
