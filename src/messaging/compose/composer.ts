import type { KeyObject } from 'node:crypto';
import type { MasterKey } from '../../access/master-key.ts';
import { monotonicMs } from '../../clock.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import { type EmailForm, emailFormOf, isSignedHere } from '../sending-accounts/accounts.ts';
import { isForeignSender } from '../sending-domains/foreign-senders.ts';
import { createSigning, domainOfAddress } from '../sending-domains/signing.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { BulkRenderer } from './bulk/bulk-renderer.ts';
import { createBulkComposer } from './bulk-composer.ts';
import type { ContentCompiler } from './content/content-compiler.ts';
import { type Draft, senderOf } from './drafts.ts';
import { chunksOf, type Group, settleAll } from './groups.ts';
import { createDraftLoader, type DraftLoaderDeps } from './load-drafts.ts';
import type { DkimKey } from './mime/dkim.ts';
import { backedOffUntil, type Composed, type ComposedMessage, passingFailure } from './outcomes.ts';
import { createSingleComposer } from './single-composer.ts';
import { createSliceBuffer } from './slice-buffer.ts';
import { backoffKey, createTemplateBackoffs } from './template-backoffs.ts';
import type { LinkTracker } from './tracked-links.ts';

export interface ComposerDeps extends DraftLoaderDeps {
  compiler: ContentCompiler;
  links: LinkTracker;
  bulkRenderer: BulkRenderer;
  /** The form of e-mails for companies without a sending account of their own. */
  form: EmailForm;
  masterKey: MasterKey;
  tokenKey: KeyObject;
  /** Returns the base URL for a message's links, without a trailing slash. Depends on the sender's address, null for an SMS. */
  linkBase: (company: SendingCompany, from: string | null) => string;
}

export interface Composer {
  /**
   * Composes messages of one company; a failure is a result. Passes results on slice by slice, in any order, and keeps a slice in memory
   * until `hand` resolves. Resolves when all have been passed on.
   */
  compose(
    company: SendingCompany,
    messages: ClaimedMessage[],
    now: Date,
    hand: (slice: ComposedMessage[]) => Promise<void>,
  ): Promise<void>;
}

/** Maximum bytes per process of composed messages that have not been handed over yet. */
const MOST_HELD = 64 * 1024 * 1024;
/** Share of a company with accounts of its own, whose servers may be slow. */
const OWN_SHARE = MOST_HELD / 8;
/** After this time the remaining messages are left for the next set, because other companies wait for this one to finish. */
const COMPOSE_MS = 2_000;

/** See docs/design/templates.md. */
export function createComposer(deps: ComposerDeps): Composer {
  const { log, compiler, masterKey, linkBase } = deps;
  const keyOf = createSigning(masterKey);
  const memory = new FairQueue({ capacity: MOST_HELD });
  const ownMemory = new FairQueue({ capacity: MOST_HELD, share: OWN_SHARE });
  const backoffs = createTemplateBackoffs(monotonicMs);
  const loadDrafts = createDraftLoader(deps);
  const composeBulk = createBulkComposer(deps);
  const composeSingle = createSingleComposer({ ...deps, backoffs });

  async function composeGroup(group: Group): Promise<void> {
    const { company, drafts, hand } = group;
    const handAll = (composed: (draft: Draft) => Composed): Promise<void> =>
      hand(drafts.map((draft) => ({ message: draft.message, composed: composed(draft) })));
    const backoff = backoffs.of(group.backoffKey);
    if (backoff !== null) return handAll(() => backedOffUntil(group.now, backoff.givenUp ? null : backoff.ms));
    const { source, message } = drafts[0]!;
    const owner = { companyId: company.companyId, priority: 'bulk' as const };
    const compiled =
      message.channel === 'sms'
        ? { ok: true as const, html: source.content }
        : await compiler.compile(source.content, owner);
    if (!compiled.ok) {
      if (compiled.passing) backoffs.note(group.backoffKey, false);
      const { error, passing } = compiled;
      return handAll((draft) =>
        passing ? passingFailure(draft, error, group.now) : { kind: 'failed', reason: error },
      );
    }
    const from = message.channel === 'email' ? senderOf(source.sender, company).address : null;
    if (from !== null && (await isForeignSender(deps.db, company, from))) {
      const domain = domainOfAddress(from);
      return handAll(() => ({ kind: 'failed', reason: `Another company has verified ${domain}, the sender's domain` }));
    }
    let dkim: DkimKey | undefined;
    try {
      dkim = group.form === 'bytes' && from !== null && isSignedHere(company) ? keyOf(company, from) : undefined;
    } catch (error) {
      log.error({ err: error, company_id: company.companyId }, 'a DKIM key cannot be opened');
      return handAll(() => ({ kind: 'failed', reason: 'The DKIM key cannot be opened' }));
    }
    const formed = group.form === 'bytes' && group.campaign && message.channel === 'email';
    const chunks = formed ? chunksOf(drafts, () => 0) : [drafts];
    await settleAll(
      chunks.map(async (chunk) => {
        const aside = formed ? await composeBulk({ ...group, drafts: chunk }, compiled.html, dkim) : chunk;
        if (aside.length > 0) await composeSingle({ ...group, drafts: aside }, compiled.html, dkim);
      }),
    );
  }

  return {
    async compose(company, messages, now, hand) {
      const begun = await loadDrafts(company, messages, now);
      const drafts = begun.filter((one): one is Draft => 'source' in one);
      const others = begun.filter((one): one is ComposedMessage => !('source' in one));
      const buffer = createSliceBuffer(hand);
      const form = emailFormOf(company, deps.form);
      const until = monotonicMs() + COMPOSE_MS;
      const groups = Map.groupBy(drafts, ({ message: { channel, origin: from }, source }) =>
        from.kind === 'campaign'
          ? `${channel} ${from.campaignId}:${from.variant ?? ''}`
          : `${channel} ${source.sender ?? ''} ${source.content}`,
      );
      await settleAll([
        others.length > 0 ? hand(others) : Promise.resolve(),
        ...[...groups.values()].map((group) => {
          const { message, source } = group[0]!;
          const key = backoffKey(company.companyId, source.content);
          const campaign = message.origin.kind === 'campaign';
          const from = message.channel === 'email' ? senderOf(source.sender, company).address : null;
          const mayGoOn = (): boolean => monotonicMs() < until && backoffs.of(key) === null;
          return composeGroup({
            company,
            drafts: group,
            campaign,
            backoffKey: key,
            now,
            hand,
            buffer,
            mayGoOn,
            form,
            base: linkBase(company, from),
            memory: company.accounts.length === 0 ? memory : ownMemory,
          });
        }),
      ]);
    },
  };
}
