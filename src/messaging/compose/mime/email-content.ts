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
  /** Shown by mail programs beside the subject; hidden at the start of the HTML. */
  previewText?: string;
  /** At least one of the two. The text part is made from the HTML when it is not given. */
  html?: string;
  text?: string;
  /** Further headers, such as List-Unsubscribe; those that this module sets itself are refused. */
  headers?: Record<string, string>;
  /** `<unique@domain>`, the same for every attempt to hand over the same message. */
  messageId: string;
  date: Date;
}
