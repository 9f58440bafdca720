import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { BulkRenderer } from './bulk/bulk-renderer.ts';
import { composeSlices } from './compose-slices.ts';
import { type Draft, singleOf } from './drafts.ts';
import { chunksOf, type Group, settleAll } from './groups.ts';
import { failureOf } from './liquid/renderer.ts';
import { attempt } from './load-drafts.ts';
import type { DkimKey } from './mime/dkim.ts';
import type { EmailContent } from './mime/email-content.ts';
import { bytesOf, type ComposedMessage, emailOf, failedBy, giveBack, readyOf, smsOf } from './outcomes.ts';
import type { SingleResult } from './single-messages.ts';
import type { Killed } from './slices.ts';
import type { TemplateBackoffs } from './template-backoffs.ts';
import type { LinkTracker } from './tracked-links.ts';

export interface SingleComposerDeps {
  log: Logger;
  links: LinkTracker;
  bulkRenderer: BulkRenderer;
  tokenKey: KeyObject;
  backoffs: TemplateBackoffs;
}

/** Composes messages one by one, whatever their templates contain. */
export function createSingleComposer(deps: SingleComposerDeps) {
  const { log, links, bulkRenderer, tokenKey, backoffs } = deps;

  async function composeSingle(group: Group, template: string, dkim: DkimKey | undefined): Promise<void> {
    const { company, now, form, memory, base } = group;
    const { companyId, track_clicks: clicks, track_opens: opens } = company;
    const addresses = { tokenKey, base };
    const refused: ComposedMessage[] = [];
    const items = group.drafts.flatMap((draft) => {
      const made = attempt(log, draft.message, () => {
        const { head, single } = singleOf(company, draft, addresses, now);
        return { draft, head, json: JSON.stringify(single) };
      });
      if (!('kind' in made)) return [made];
      refused.push({ message: draft.message, composed: made });
      return [];
    });
    if (refused.length > 0) await group.hand(refused);
    const order = { companyId, template, date: now, dkim, form, base, clicks, opens, tokenKey };
    await settleAll(
      chunksOf(items, ({ json }) => json.length).map(async (chunk) => {
        const left = await composeSlices<(typeof items)[number], SingleResult, ComposedMessage>(memory, group.buffer, {
          companyId,
          items: chunk,
          run: (some) =>
            bulkRenderer.renderSingle({ ...order, messages: some.map(({ json }) => json) }, (wanted) =>
              links.namesBehind(company, wanted),
            ),
          bytesOf,
          hand: (slice) =>
            group.buffer.hand(slice.map(({ item: { draft, head }, result }) => composedOf(group, draft, head, result))),
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
      if ('killed' in result || failing.exceeded === 'time') backoffs.note(group.backoffKey, false);
      return { message, composed: failedBy(draft, failing, group.now) };
    }
    backoffs.note(group.backoffKey, true);
    if ('killed' in result || result.kind === 'failed') throw new Error('Unexpected failed result');
    if (result.kind === 'text') return { message, composed: smsOf(group.company, draft, result.text) };
    const from = head!.from.address;
    if (result.kind === 'raw') return readyOf(draft, emailOf(draft, from, null, result.raw, result.linked));
    const { kind: _kind, ...parts } = result;
    const content: EmailContent = { ...head!, to: { address: to }, ...parts };
    return readyOf(draft, emailOf(draft, from, content, null));
  }

  return composeSingle;
}
