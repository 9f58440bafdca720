import type { KeyObject } from 'node:crypto';
import type { MasterKey } from '../../access/master-key.ts';
import { monotonicMs } from '../../clock.ts';
import { codeOf } from '../../lib/codes.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { JobItems } from '../../lib/threads/job-items.ts';
import type { JobOutcome } from '../../lib/threads/pool.ts';
import { linkName, signToken } from '../consent/tokens.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import { type EmailForm, emailFormOf, isSignedHere } from '../sending-accounts/accounts.ts';
import { isForeignSender } from '../sending-domains/foreign-senders.ts';
import { createSigning, domainOfAddress } from '../sending-domains/signing.ts';
import { type SendingCompany, senderOf } from '../settings/settings.ts';
import { batchesOf, HandOn, settleAll } from './batches.ts';
import type { RenderContext } from './liquid/render.ts';
import { attempt, createLoader, type Draft, type LoaderDeps } from './load.ts';
import { messageIdEnd } from './mime/email-content.ts';
import type { DkimKey } from './mime/encode.ts';
import type { ContentCompiler } from './mjml/compiler.ts';
import {
  backedOffUntil,
  type Composed,
  type ComposedMessage,
  GIVEN_BACK,
  isStrike,
  outcomeOf,
  passingFailure,
} from './outcomes.ts';
import { upsertLinks } from './queries.ts';
import type { Renderer } from './renderer.ts';
import { backoffKey, createTemplateBackoffs } from './template-backoffs.ts';
import { bytesOf, type MessageInput, type MessageJob, type RenderedMessage } from './thread/jobs.ts';

export interface ComposerDeps extends LoaderDeps {
  compiler: ContentCompiler;
  renderer: Pick<Renderer, 'renderMessages'>;
  /** The form of e-mails for companies without a sending account of their own. */
  form: EmailForm;
  masterKey: MasterKey;
  tokenKey: KeyObject;
  /** Returns the base URL for a message's links, without a trailing slash. Depends on the sender's address, null for an SMS. */
  linkBase: (company: SendingCompany, from: string | null) => string;
}

export interface Composer {
  /**
   * Composes messages of one company; a failure is a result. Hands results on in parts, in any order, and keeps a part in memory until
   * `hand` resolves. Resolves when all have been handed on.
   */
  compose(
    company: SendingCompany,
    messages: ClaimedMessage[],
    now: Date,
    hand: (composed: ComposedMessage[]) => Promise<void>,
  ): Promise<void>;
}

/** Maximum bytes per process of composed messages that have not been handed over yet. */
const MOST_HELD = 64 * 1024 * 1024;
/** Share of a company with accounts of its own, whose servers may be slow. */
const OWN_SHARE = MOST_HELD / 8;
/** After this time the remaining messages are given back, because other companies wait for this one to finish. */
const COMPOSE_MS = 2_000;
/** A job returns early to request link names if an e-mail has addresses that the previous ones did not have. */
const MOST_ROUNDS = 5;

/** One call of `compose`. */
interface Run {
  company: SendingCompany;
  now: Date;
  /** When the remaining messages are given back, in milliseconds of a monotonic clock. */
  until: number;
  handOn: HandOn;
}

/** Messages of one template, ready for threads. */
interface Prepared {
  job: Omit<MessageJob, 'names' | 'lastRound' | 'messages'>;
  backoffKey: string;
  /** The sender's address; null for an SMS. */
  from: string | null;
}

/** A draft, and its input for a thread. */
interface Item {
  draft: Draft;
  json: string;
}

/** See docs/design/templates.md. */
export function createComposer(deps: ComposerDeps): Composer {
  const { db, log, compiler, renderer, masterKey, tokenKey, linkBase } = deps;
  const load = createLoader(deps);
  const keyOf = createSigning(masterKey);
  const backoffs = createTemplateBackoffs(monotonicMs);
  const memory = new FairQueue({ capacity: MOST_HELD });
  const ownMemory = new FairQueue({ capacity: MOST_HELD, share: OWN_SHARE });

  /** Composes messages of one template: prepares what they share, then composes them in batches. */
  async function composeTemplate(run: Run, drafts: Draft[]): Promise<void> {
    const prepared = await prepare(run, drafts[0]!);
    if (typeof prepared === 'function') {
      return run.handOn.add(drafts.map(({ message }) => ({ message, composed: prepared(message) })));
    }
    const { base } = prepared.job;
    const items: Item[] = [];
    for (const draft of drafts) {
      const { message } = draft;
      const item = attempt(log, message, (): Item => {
        return { draft, json: JSON.stringify(inputOf(draft, secretsOf(message, base))) };
      });
      if ('kind' in item) run.handOn.add([{ message, composed: item }]);
      else items.push(item);
    }
    await settleAll(batchesOf(items).map((batch) => composeBatch(run, prepared, batch)));
  }

  /** Returns what the messages of a template share; or their outcome, if they cannot be composed. */
  async function prepare(
    { company, now }: Run,
    { template, message: { channel, origin } }: Draft,
  ): Promise<Prepared | ((message: ClaimedMessage) => Composed)> {
    const { companyId } = company;
    const key = backoffKey(companyId, template.content);
    const backoff = backoffs.of(key);
    if (backoff !== null) return () => backedOffUntil(now, backoff.givenUp ? null : backoff.ms);
    const email = channel === 'email';
    const compiled = email
      ? await compiler.compile(template.content, { companyId, priority: 'bulk' })
      : { ok: true as const, html: template.content };
    if (!compiled.ok) {
      const { error: reason, passing } = compiled;
      if (!passing) return () => ({ kind: 'failed', reason });
      backoffs.note(key, false);
      return (message) => passingFailure(message, reason, now);
    }
    const sender = senderOf(template.sender, company);
    const from = email ? sender.address : null;
    if (from !== null && (await isForeignSender(db, company, from))) {
      const reason = `Another company has verified ${domainOfAddress(from)}, the sender's domain`;
      return () => ({ kind: 'failed', reason });
    }
    const form = emailFormOf(company, deps.form);
    let dkim: DkimKey | undefined;
    try {
      dkim = form === 'bytes' && from !== null && isSignedHere(company) ? keyOf(company, from) : undefined;
    } catch (error) {
      log.error({ err: error, company_id: companyId }, 'a DKIM key cannot be opened');
      return () => ({ kind: 'failed', reason: 'The DKIM key cannot be opened' });
    }
    const { name, currency, reply_to: replyTo } = company;
    const job = {
      companyId,
      channel,
      template: { html: compiled.html, subject: template.subject ?? '', previewText: template.previewText ?? '' },
      context: { company: { name, currency }, ...template.context },
      campaign: origin.kind === 'campaign',
      from: sender,
      replyTo: replyTo === null ? undefined : { address: replyTo },
      messageIdEnd: messageIdEnd(company, sender.address),
      date: now,
      dkim,
      form,
      base: linkBase(company, from),
      clicks: company.track_clicks,
      opens: company.track_opens,
      tokenKey,
    };
    return { job, backoffKey: key, from };
  }

  /** Composes a batch in threads, job by job, until it is done or its time is over. */
  async function composeBatch(run: Run, { job, backoffKey: key, from }: Prepared, batch: Item[]): Promise<void> {
    const { company, now, handOn, until } = run;
    const end = handOn.begin();
    let struck = false;
    let passed = false;
    try {
      for (const items = new JobItems(batch); items.next.length > 0; ) {
        const hold = await handOn.room();
        const composed: ComposedMessage[] = [];
        let bytes = 0;
        try {
          for (const { item, result } of items.settle(await render(job, items.next))) {
            const { message, to } = item.draft;
            composed.push({ message, composed: outcomeOf({ company, message, from, to, now }, result) });
            if (isStrike(result)) {
              struck = true;
              backoffs.note(key, false);
            } else if (!('killed' in result)) {
              bytes += bytesOf(result);
              passed ||= result.kind !== 'failed';
            }
          }
        } catch (error) {
          hold.release();
          throw error;
        }
        hold.reduceTo(bytes);
        handOn.add(composed, hold);
        if (composed.length === 0 || (monotonicMs() < until && backoffs.of(key) === null)) continue;
        handOn.add(items.left.map(({ draft: { message } }) => ({ message, composed: GIVEN_BACK })));
        return;
      }
      // Not for each message: a template that times out for some contacts would never back off.
      if (passed && !struck) backoffs.note(key, true);
    } finally {
      end();
    }
  }

  /** Renders the first items of a batch in a thread, which asks for the names of links until it knows all. */
  async function render(job: Prepared['job'], items: readonly Item[]): Promise<JobOutcome<RenderedMessage[]>> {
    const messages = `[${items.map(({ json }) => json).join(',')}]`;
    const names: [hash: string, name: string][] = [];
    for (let round = 1; ; round += 1) {
      const outcome = await renderer.renderMessages({ ...job, messages, names, lastRound: round === MOST_ROUNDS });
      if (outcome.ended !== 'done') return outcome;
      const { value } = outcome;
      if (!('missing' in value)) return { ended: 'done', value };
      const rows = await upsertLinks(db, job.companyId, value.missing);
      for (const { hash, id } of rows) names.push([hash, linkName(tokenKey, job.companyId, id)]);
    }
  }

  /** Returns what is not stored with a message: the code that it tells, or the address of a page with a token. */
  function secretsOf({ companyId, id, contactId, channel, origin }: ClaimedMessage, base: string): RenderContext {
    if (origin.kind !== 'system') return {};
    const {
      form_submission_id: submission,
      list_id: list,
      nonce,
      pay,
      order_id: orderId,
      store_url: store,
    } = origin.data;
    if (typeof nonce === 'string') return { code: codeOf(tokenKey, companyId, nonce) };
    if (isOfLink(pay)) return { pay_url: `${base}/pay/${signToken(tokenKey, 'pay', { companyId, ...pay })}` };
    if (typeof orderId === 'number') {
      const token = signToken(tokenKey, 'order', { companyId, subject: orderId, detail: 0 });
      return { order_url: `${String(store)}#order=${token}` };
    }
    if (contactId === null) return {};
    if (typeof submission === 'number') {
      const asked = { companyId, subject: submission, detail: channel === 'email' ? 1 : 2 };
      return { confirm_url: `${base}/u/form/${signToken(tokenKey, 'form', asked)}` };
    }
    if (typeof list !== 'number') return {};
    const whose = { companyId, subject: id, detail: list };
    return { confirm_url: `${base}/u/confirm/${signToken(tokenKey, 'confirmation', whose)}` };
  }

  return {
    async compose(company, messages, now, hand) {
      const { drafts, ended } = await load(company, messages, now);
      const { companyId, accounts } = company;
      const handOn = new HandOn({ memory: accounts.length === 0 ? memory : ownMemory, companyId, hand });
      const run: Run = { company, now, until: monotonicMs() + COMPOSE_MS, handOn };
      handOn.add(ended);
      const byTemplate = Map.groupBy(drafts, ({ template }) => template);
      try {
        await settleAll([...byTemplate.values()].map((some) => composeTemplate(run, some)));
      } finally {
        await handOn.done();
      }
    },
  };
}

function isOfLink(value: unknown): value is { subject: number; detail: number } {
  return typeof value === 'object' && value !== null && 'subject' in value && 'detail' in value;
}

const TESTS: ReadonlySet<string> = new Set(['campaign_test', 'template_test']);

/** Returns the input of a message for a thread. A test is treated like the message that it tests. */
function inputOf({ message, to, contactId, contact, values }: Draft, secrets: RenderContext): MessageInput {
  const { id, origin, transactional } = message;
  const test = origin.kind === 'system' && TESTS.has(origin.template);
  // The links of a test must not unsubscribe the contact whose values it shows.
  const real = contactId === null ? null : { subject: contactId, detail: id };
  return {
    id,
    to,
    contact,
    values: { ...secrets, ...values },
    unsubscribe: test ? { subject: 0, detail: 0 } : real,
    marketing: !transactional || test,
    tracked: message.contactId !== null,
  };
}
