import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { MasterKey } from '../../access/master-key.ts';
import { monotonicMs } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Press, PressedMail } from './bulk/bulk-renderer.ts';
import { createByteBudget } from './byte-budget.ts';
import type { ContentCompiler } from './content-compiler.ts';
import type { SourceLoader } from './content-loader.ts';
import { type Draft, senderOf, sharedOf, singleOf, testedContact } from './drafts.ts';
import { createGathering, type Gathering } from './gathering.ts';
import type { JsonValue } from './liquid/engine.ts';
import { failureOf } from './liquid/renderer.ts';
import type { DkimKey } from './mime/dkim.ts';
import type { EmailContent } from './mime/email-content.ts';
import {
  bytesOf,
  type Composed,
  type ComposedMessage,
  emailOf,
  failedBy,
  giveBack,
  passingFailure,
  readyOf,
  restingUntil,
  sentenceOf,
  smsOf,
} from './outcomes.ts';
import { inPortions } from './portions.ts';
import type { SingleResult } from './single-messages.ts';
import type { Killed } from './slices.ts';
import { createTemplateRests, restKey } from './template-rest.ts';
import type { LinkTracker } from './tracked-links.ts';

/** A contact as templates see it. */
export interface TemplateContact {
  email: string | null;
  phone: string | null;
}

export interface ComposerDeps {
  db: Queryable;
  log: Logger;
  compiler: ContentCompiler;
  sources: SourceLoader;
  links: LinkTracker;
  press: Press;
  /** Whether the e-mail transport wants bytes. */
  bytes: boolean;
  loadContacts: (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, TemplateContact>>;
  masterKey: MasterKey;
  tokenKey: KeyObject;
  /** The address under which the public pages are reached, without a slash at the end. */
  origin: () => string;
}

export interface Composer {
  /**
   * Makes the messages of one company, each for itself: what fails is a result. Hands them on in portions, in any order;
   * a portion is held in memory until `hand` resolves. Resolves when all are handed on.
   */
  compose(
    company: SendingCompany,
    messages: ClaimedMessage[],
    now: Date,
    hand: (portion: ComposedMessage[]) => Promise<void>,
  ): Promise<void>;
}

/** Of all composed messages of a process that are not handed over yet. */
const MOST_HELD = 64 * 1024 * 1024;
/** So few that the first of a set are on their way while the others are made. */
const MESSAGES_PER_JOB = 50;
const JOB_CHARACTERS = 1024 * 1024;
/** What takes longer is left for the next set: other companies' messages wait for the end of this one. */
const COMPOSE_MS = 2_000;

/** Messages of one content. */
interface Group {
  company: SendingCompany;
  drafts: Draft[];
  /** Of a campaign: may be made from a form. */
  campaign: boolean;
  restKey: string;
  now: Date;
  hand(portion: ComposedMessage[]): Promise<void>;
  /** For what is made in slices. */
  gathering: Gathering<ComposedMessage>;
  mayGoOn(): boolean;
}

export function createComposer(deps: ComposerDeps): Composer {
  const { db, log, compiler, sources, links, press, bytes, loadContacts, masterKey, tokenKey, origin } = deps;
  const dkimKeys = new WeakMap<SendingCompany, DkimKey>();
  const budget = createByteBudget(MOST_HELD);
  const rests = createTemplateRests(monotonicMs);

  function dkimOf(company: SendingCompany): DkimKey | undefined {
    if (company.dkim === null) return undefined;
    const { domain, selector, sealed_key } = company.dkim;
    const known = dkimKeys.get(company);
    if (known !== undefined) return known;
    const key = { domain, selector, privateKey: masterKey.open(Buffer.from(sealed_key, 'base64')) };
    dkimKeys.set(company, key);
    return key;
  }

  /** The messages that can be made, and what becomes of the others. */
  async function begin(company: SendingCompany, messages: ClaimedMessage[]): Promise<(Draft | ComposedMessage)[]> {
    const { companyId } = company;
    const contactIds = [
      ...new Set(messages.flatMap(({ contactId, origin: from }) => contactId ?? testedContact(from) ?? [])),
    ];
    const [contacts, sourceOf] = await Promise.all([
      loadContacts(db, companyId, contactIds),
      sources.load(db, companyId, messages),
    ]);
    const draftOf = (message: ClaimedMessage): Draft | Composed => {
      const source = sourceOf(message);
      if ('missing' in source) return { kind: 'failed', reason: source.missing };
      const contactId = message.contactId ?? testedContact(message.origin);
      const contact = contactId === null ? undefined : contacts.get(contactId);
      if (contact === undefined && message.contactId !== null) return { kind: 'skipped', reason: 'contact_erased' };
      const own = message.channel === 'email' ? contact?.email : contact?.phone;
      const to = message.recipient !== null && message.contactId === null ? message.recipient : own;
      if (!to) return { kind: 'skipped', reason: 'no_address' };
      if (message.channel === 'email' && !source.subject) return { kind: 'failed', reason: 'There is no subject' };
      return { message, source, to, contactId, contact: (contact ?? {}) as JsonValue };
    };
    return messages.map((message) => {
      const made = attempt(message, () => draftOf(message));
      return 'kind' in made ? { message, composed: made } : made;
    });
  }

  /** What one message alone makes impossible is that message's failure. */
  function attempt<T>(message: ClaimedMessage, make: () => T): T | Composed {
    try {
      return make();
    } catch (error) {
      log.error({ err: error, company_id: message.companyId, message_id: message.id }, 'a message cannot be composed');
      return { kind: 'failed', reason: 'The message cannot be composed' };
    }
  }

  async function composeGroup(group: Group): Promise<void> {
    const { company, drafts, hand } = group;
    const handAll = (composed: (draft: Draft) => Composed): Promise<void> =>
      hand(drafts.map((draft) => ({ message: draft.message, composed: composed(draft) })));
    const rest = rests.of(group.restKey);
    if (rest !== null) return handAll(() => restingUntil(group.now, rest.givenUp ? null : rest.ms));
    const { source, message } = drafts[0]!;
    const owner = { companyId: company.companyId, lane: 'bulk' as const };
    const compiled =
      message.channel === 'sms'
        ? { ok: true as const, html: source.content }
        : await compiler.compile(source.content, owner);
    if (!compiled.ok) {
      if (compiled.passing) rests.note(group.restKey, false);
      const { error, passing } = compiled;
      return handAll((draft) =>
        passing ? passingFailure(draft, error, group.now) : { kind: 'failed', reason: error },
      );
    }
    let dkim: DkimKey | undefined;
    try {
      dkim = bytes && message.channel === 'email' ? dkimOf(company) : undefined;
    } catch (error) {
      log.error({ err: error, company_id: company.companyId }, 'a DKIM key cannot be opened');
      return handAll(() => ({ kind: 'failed', reason: 'The DKIM key cannot be opened' }));
    }
    const formed = bytes && group.campaign && message.channel === 'email';
    const chunks = formed ? chunksOf(drafts, () => 0) : [drafts];
    await settleAll(
      chunks.map(async (chunk) => {
        const aside = formed ? await composeFormed({ ...group, drafts: chunk }, compiled.html, dkim) : chunk;
        if (aside.length > 0) await composeSingle({ ...group, drafts: aside }, compiled.html, dkim);
      }),
    );
  }

  /** E-mails of a campaign; gives those that have to be made one by one. */
  async function composeFormed(group: Group, html: string, dkim: DkimKey | undefined): Promise<Draft[]> {
    const { company, drafts, now } = group;
    const { companyId, track_clicks: clicks, track_opens: opens } = company;
    const { source } = drafts[0]!;
    const from = senderOf(source.sender, company);
    const order = {
      companyId,
      template: { html, subject: source.subject!, previewText: source.previewText ?? '' },
      context: { company: sharedOf(company), ...source.context },
      from,
      replyTo: company.reply_to === null ? undefined : { address: company.reply_to },
      date: now,
      dkim,
      base: origin(),
      clicks,
      opens,
      tokenKey,
    };
    const aside: Draft[] = [];
    const left = await inPortions<Draft, PressedMail, ComposedMessage>(budget, group.gathering, {
      companyId,
      items: drafts,
      run: (some) => {
        const recipients = some.map(({ message, contactId, to, contact }) => {
          return { messageId: message.id, contactId: contactId!, to, contact };
        });
        return press.press({ ...order, recipients }, (urls) => links.namesOf(company, urls));
      },
      bytesOf: (result) => (typeof result === 'object' && 'raw' in result ? result.raw.length : 0),
      async hand(slice) {
        const made: ComposedMessage[] = [];
        for (const { item: draft, result } of slice) {
          // What ended a thread is tried once more by itself, under the limits of what is made so.
          if (result === 'aside' || 'killed' in result) aside.push(draft);
          else if ('raw' in result) made.push(readyOf(draft, emailOf(draft, from.address, null, result.raw)));
          else
            made.push({
              message: draft.message,
              composed: { kind: 'failed', reason: sentenceOf(result.failed, result.line) },
            });
        }
        if (made.length > 0) await group.gathering.hand(made);
      },
      mayGoOn: group.mayGoOn,
    });
    if (left.length > 0) await group.hand(left.map(giveBack));
    return aside;
  }

  async function composeSingle(group: Group, template: string, dkim: DkimKey | undefined): Promise<void> {
    const { company, now } = group;
    const { companyId, track_clicks: clicks, track_opens: opens } = company;
    const addresses = { tokenKey, base: origin() };
    const refused: ComposedMessage[] = [];
    const items = group.drafts.flatMap((draft) => {
      const made = attempt(draft.message, () => {
        const { head, single } = singleOf(company, draft, addresses, now);
        return { draft, head, json: JSON.stringify(single) };
      });
      if (!('kind' in made)) return [made];
      refused.push({ message: draft.message, composed: made });
      return [];
    });
    if (refused.length > 0) await group.hand(refused);
    const order = { companyId, template, date: now, dkim, bytes, base: addresses.base, clicks, opens, tokenKey };
    await settleAll(
      chunksOf(items, ({ json }) => json.length).map(async (chunk) => {
        const left = await inPortions<(typeof items)[number], SingleResult, ComposedMessage>(budget, group.gathering, {
          companyId,
          items: chunk,
          run: (some) =>
            press.single({ ...order, messages: some.map(({ json }) => json) }, (wanted) =>
              links.namesBehind(company, wanted),
            ),
          bytesOf,
          hand: (slice) =>
            group.gathering.hand(
              slice.map(({ item: { draft, head }, result }) => composedOf(group, draft, head, result)),
            ),
          mayGoOn: group.mayGoOn,
        });
        if (left.length > 0) await group.hand(left.map(({ draft }) => giveBack(draft)));
      }),
    );
  }

  function composedOf(
    group: Group,
    draft: Draft,
    head: Omit<EmailContent, 'subject'> | null,
    result: SingleResult | Killed,
  ): ComposedMessage {
    const { message, to } = draft;
    const failing = 'killed' in result ? failureOf(result.killed) : result.kind === 'failed' ? result.failure : null;
    if (failing !== null) {
      if ('killed' in result && result.killed === 'closed') return giveBack(draft);
      if ('killed' in result || failing.exceeded === 'time') rests.note(group.restKey, false);
      return { message, composed: failedBy(draft, failing, group.now) };
    }
    rests.note(group.restKey, true);
    if ('killed' in result || result.kind === 'failed') throw new Error('A failure is no result');
    if (result.kind === 'text') return { message, composed: smsOf(group.company, draft, result.text) };
    const from = head!.from.address;
    if (result.kind === 'raw') return readyOf(draft, emailOf(draft, from, null, result.raw, result.linked));
    const { subject, previewText, html } = result;
    const content: EmailContent = { ...head!, to: { address: to }, subject, previewText, html };
    return readyOf(draft, emailOf(draft, from, content, null));
  }

  return {
    async compose(company, messages, now, hand) {
      const begun = await begin(company, messages);
      const drafts = begun.filter((one): one is Draft => 'source' in one);
      const others = begun.filter((one): one is ComposedMessage => !('source' in one));
      const gathering = createGathering(hand);
      const until = monotonicMs() + COMPOSE_MS;
      const groups = Map.groupBy(drafts, ({ message: { channel, origin: from }, source }) =>
        from.kind === 'campaign'
          ? `${channel} ${from.campaignId}:${from.variant ?? ''}`
          : `${channel} ${source.content}`,
      );
      await settleAll([
        others.length > 0 ? hand(others) : Promise.resolve(),
        ...[...groups.values()].map((group) => {
          const { message, source } = group[0]!;
          const key = restKey(company.companyId, source.content);
          const campaign = message.origin.kind === 'campaign';
          const mayGoOn = (): boolean => monotonicMs() < until && rests.of(key) === null;
          return composeGroup({ company, drafts: group, campaign, restKey: key, now, hand, gathering, mayGoOn });
        }),
      ]);
    },
  };
}

/** Waits for all, and rejects with the first that did: none goes on unheard. */
async function settleAll(work: Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

function chunksOf<Item>(items: Item[], charactersOf: (item: Item) => number): Item[][] {
  const chunks: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const characters = charactersOf(item);
    const last = chunks.at(-1);
    if (last !== undefined && last.length < MESSAGES_PER_JOB && characters <= room) {
      last.push(item);
      room -= characters;
    } else {
      chunks.push([item]);
      room = JOB_CHARACTERS - characters;
    }
  }
  return chunks;
}
