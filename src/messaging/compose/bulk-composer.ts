import type { KeyObject } from 'node:crypto';
import type { BulkMail, BulkRenderer } from './bulk/bulk-renderer.ts';
import { composeSlices } from './compose-slices.ts';
import { type Draft, senderOf, sharedOf } from './drafts.ts';
import type { Group } from './groups.ts';
import { messageIdEnd } from './message-ids.ts';
import type { DkimKey } from './mime/dkim.ts';
import { type ComposedMessage, emailOf, giveBack, readyOf, sentenceOf } from './outcomes.ts';
import type { LinkTracker } from './tracked-links.ts';

export interface BulkComposerDeps {
  links: LinkTracker;
  bulkRenderer: BulkRenderer;
  tokenKey: KeyObject;
}

/** Composes campaign e-mails in bulk: one template is rendered for many recipients. */
export function createBulkComposer({ links, bulkRenderer, tokenKey }: BulkComposerDeps) {
  /** Composes e-mails of a campaign. Returns drafts that must be composed one by one. */
  return async (group: Group, html: string, dkim: DkimKey | undefined): Promise<Draft[]> => {
    const { company, drafts, now, base } = group;
    const { companyId, track_clicks: clicks, track_opens: opens } = company;
    const { source } = drafts[0]!;
    const from = senderOf(source.sender, company);
    const order = {
      companyId,
      template: { html, subject: source.subject!, previewText: source.previewText ?? '' },
      context: { company: sharedOf(company), ...source.context },
      from,
      replyTo: company.reply_to === null ? undefined : { address: company.reply_to },
      messageIdEnd: messageIdEnd(company, from.address),
      date: now,
      dkim,
      base,
      clicks,
      opens,
      tokenKey,
    };
    const aside: Draft[] = [];
    const left = await composeSlices<Draft, BulkMail, ComposedMessage>(group.memory, group.buffer, {
      companyId,
      items: drafts,
      run: (some) => {
        const recipients = some.map(({ message, contactId, to, contact, own }) => {
          return { messageId: message.id, contactId: contactId!, to, contact, own };
        });
        return bulkRenderer.renderBulk({ ...order, recipients }, (urls) => links.namesOf(company, urls));
      },
      bytesOf: (result) => (typeof result === 'object' && 'raw' in result ? result.raw.length : 0),
      async hand(slice) {
        const made: ComposedMessage[] = [];
        for (const { item: draft, result } of slice) {
          // A message whose thread was killed is composed again on its own, under the limits of single messages.
          if (result === 'aside' || 'killed' in result) aside.push(draft);
          else if ('raw' in result) made.push(readyOf(draft, emailOf(draft, from.address, null, result.raw)));
          else
            made.push({
              message: draft.message,
              composed: { kind: 'failed', reason: sentenceOf(result.failed, result.line) },
            });
        }
        if (made.length > 0) await group.buffer.hand(made);
      },
      mayGoOn: group.mayGoOn,
    });
    if (left.length > 0) await group.hand(left.map(giveBack));
    return aside;
  };
}
