import type { Db } from '../../../db/pool.ts';
import type { Previewer } from '../../../messaging/compose/preview.ts';
import { previewCampaign } from '../preview/preview.ts';
import * as reportQueries from '../report/queries.ts';
import type { LinkMap } from './contract.ts';

const LINKS = 100;
/** Gmail clips e-mails at 102,000 bytes. */
const MOST_CHARACTERS = 250_000;

/** Throws not_found, validation_failed for an unknown variant, and the errors of a preview. */
export async function getLinkMap(
  deps: { db: Db; previewer: Previewer },
  companyId: number,
  id: number,
  variant: string | undefined,
): Promise<LinkMap> {
  const preview = await previewCampaign(deps, companyId, id, variant === undefined ? {} : { variant });
  const links = await reportQueries.findClicks(deps.db, companyId, id, LINKS);
  const { html } = preview;
  const shown =
    html === null || html.length > MOST_CHARACTERS ? null : await deps.previewer.annotate(companyId, html, links);
  return {
    campaign_id: id,
    variant: variant ?? null,
    html: shown?.html ?? null,
    links: links.map((link, i) => ({ ...link, places: shown?.places[i] ?? 0 })),
  };
}
