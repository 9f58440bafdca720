import type { KeyObject } from 'node:crypto';
import type { Design } from '../../../marketing/templates/design/schema.ts';
import type { BounceReport } from '../../feedback/bounce-report.ts';
import type { Channel } from '../../ledger/message.ts';
import type { EmailForm } from '../../sending-accounts/accounts.ts';
import type { RenderFailure } from '../liquid/engine.ts';
import type { JsonValue, RenderContext, RenderResult } from '../liquid/render.ts';
import type { EmailContent, NamedAddress } from '../mime/email-content.ts';
import type { DkimKey } from '../mime/encode.ts';
import type { NewLink } from '../queries.ts';
import type { WebAddress } from '../warnings/addresses.ts';
import type { Finding } from '../warnings/findings.ts';
import type { KnownNames } from '../warnings/variables.ts';

/** Work on texts that users wrote, each kind with its input and output: see texts.ts. */
export interface TextJobs {
  /** Renders the first requests, as many as its time allows. */
  render: { input: { requests: RenderRequest[] }; output: RenderResult[] };
  preview: { input: PreviewJob; output: PreviewResult };
  /** The readable text of HTML. */
  text: { input: { html: string }; output: string };
  /** See `sanitiseDescription`: of the first texts, as many as its time allows. */
  descriptions: { input: { texts: string[] }; output: string[] };
  /** See `shownDescription`. */
  description: { input: { text: string }; output: { html: string; text: string } };
  /** Returns why each of the first templates can never be rendered, as far as that shows without data. */
  syntax: { input: { templates: string[] }; output: (RenderFailure | null)[] };
  /** HTML with the clicks shown on its links. */
  clicks: { input: { html: string; links: ClickedLink[] }; output: Annotated };
  /** The MJML of a design. */
  design: { input: { design: Design }; output: string };
  bounces: { input: { mail: Uint8Array }; output: BounceReport[] };
}
export type TextKind = keyof TextJobs;
export type TextJob = { [Kind in TextKind]: { kind: Kind; input: TextJobs[Kind]['input'] } }[TextKind];
export type TextOutput = TextJobs[TextKind]['output'];

/** A batch of messages of one company that share one template: see messages.ts. */
export interface MessageJob {
  companyId: number;
  channel: Channel;
  /** Liquid. `html` is the text of an SMS. */
  template: { html: string; subject: string; previewText: string };
  /** Template variables that the messages share. */
  context: RenderContext;
  /** Whether the messages are a campaign's, so that e-mails are made from a compiled template if that is possible. */
  campaign: boolean;
  from: NamedAddress;
  replyTo: NamedAddress | undefined;
  messageIdEnd: string;
  date: Date;
  dkim: DkimKey | undefined;
  /** The form in which e-mails are needed. */
  form: EmailForm;
  /** Base URL of the public pages, and what is tracked. */
  base: string;
  clicks: boolean;
  opens: boolean;
  tokenKey: KeyObject;
  /** Names of links by their hashes in hexadecimal. */
  names: readonly (readonly [hash: string, name: string])[];
  /** Links without a name stay unchanged. */
  lastRound: boolean;
  /** MessageInput[] as JSON: copying objects between threads takes four times as long. */
  messages: string;
}

export interface MessageInput {
  id: number;
  to: string;
  contact: JsonValue;
  /** Variables of this message only. */
  values: RenderContext;
  /** The content of the token of the unsubscribe link; null if there is nobody who could unsubscribe. */
  unsubscribe: { subject: number; detail: number } | null;
  /** Whether the recipient must be able to unsubscribe. */
  marketing: boolean;
  tracked: boolean;
}

/** `linked`: whether it links to the public pages. */
export type RenderedMessage =
  | { kind: 'raw'; raw: Buffer; linked: boolean }
  | { kind: 'content'; content: EmailContent }
  | { kind: 'text'; text: string }
  | { kind: 'failed'; failure: RenderFailure };

/** Links that need names before the batch can be composed. */
export interface MissingNames {
  missing: NewLink[];
}

/** Messages whose bytes are moved to another thread without copying: one buffer, with the places of the messages in it. */
export interface PackedMessages {
  bytes: Uint8Array<ArrayBuffer>;
  messages: (Exclude<RenderedMessage, { kind: 'raw' }> | { kind: 'raw'; from: number; to: number; linked: boolean })[];
}

/** Maximum size of a job's messages in bytes; a larger message fails. */
export const MOST_BYTES = 4 * 1024 * 1024;

/** Returns the memory that a message takes. */
export function bytesOf(message: RenderedMessage): number {
  if (message.kind === 'raw') return message.raw.length;
  if (message.kind === 'text') return 2 * message.text.length;
  if (message.kind === 'failed') return 0;
  const { html = '', text = '', subject, previewText = '' } = message.content;
  return 2 * (html.length + text.length + subject.length + previewText.length);
}

export function pack(messages: readonly RenderedMessage[]): PackedMessages {
  const size = messages.reduce((sum, one) => sum + (one.kind === 'raw' ? one.raw.length : 0), 0);
  const bytes = new Uint8Array(size);
  let at = 0;
  const packed = messages.map((one): PackedMessages['messages'][number] => {
    if (one.kind !== 'raw') return one;
    const from = at;
    bytes.set(one.raw, from);
    at += one.raw.length;
    return { kind: 'raw', from, to: at, linked: one.linked };
  });
  return { bytes, messages: packed };
}

export function unpack({ bytes, messages }: PackedMessages): RenderedMessage[] {
  const all = Buffer.from(bytes.buffer);
  return messages.map((one) =>
    one.kind === 'raw' ? { kind: 'raw', raw: all.subarray(one.from, one.to), linked: one.linked } : one,
  );
}

export interface RenderRequest {
  text: string;
  context: RenderContext;
  html: boolean;
}

export interface PreviewJob {
  channel: Channel;
  /** HTML, or the text of an SMS; Liquid. */
  content: string;
  subject: string;
  previewText: string;
  /** A RenderContext as JSON. */
  context: string;
  /** Nobody looks at the result: it only matters whether rendering succeeds. */
  checkOnly: boolean;
  /** Names of the variables; if absent, nothing is searched for probable mistakes. */
  known?: KnownNames;
}

/** `html` is sanitised; it is empty for an SMS and for a check. */
export type PreviewResult =
  | {
      ok: true;
      subject: string;
      previewText: string;
      html: string;
      text: string;
      findings: Finding[];
      addresses: WebAddress[];
    }
  | { ok: false; field: 'content' | 'subject' | 'preview_text'; failure: RenderFailure };

export interface ClickedLink {
  url: string;
  clicks: number;
}

export interface Annotated {
  html: string;
  /** How often each link occurs in the mail, indexed like the list of links. */
  places: number[];
}
