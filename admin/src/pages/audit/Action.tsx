import { tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { firstFit } from '../address.ts';
import { PAGES } from '../pages.ts';

/** Pages of records whose names in the log differ from their paths. */
const OTHER_PATHS: Record<string, string> = {
  location: 'inventory/locations',
  shipping_method: 'shipping',
  shipping_zone: 'shipping/zones',
  subscription_frequency: 'subscriptions/frequencies',
  tax_rule: 'taxes',
  webhook_endpoint: 'webhooks',
};

/** Returns the path of a record's page, such as `promo-codes/7` of a promo_code; null if it has none. */
function pageOf(noun: string, id: string): string | null {
  const path = `${OTHER_PATHS[noun] ?? `${noun.replaceAll('_', '-')}s`}/${id}`;
  return /^\d+$/.test(id) && firstFit(PAGES, path) !== null ? path : null;
}

/** `product.update` in the person's language. */
export function actionText(action: string): string {
  const [noun = '', verb = ''] = action.split(/\.(.*)/s);
  return `${tOf('audit.noun', noun)}: ${tOf('audit.verb', verb)}`;
}

/** What was done, and to which record, with a link to its page. */
export function Action({ action, target }: { action: string; target: string }) {
  const [noun = '', id = ''] = target.split(/:(.*)/s);
  const page = action.endsWith('.delete') ? null : pageOf(noun, id);
  return (
    <>
      <div className="break">{actionText(action)}</div>
      <div className="break">
        {page !== null ? <Anchor path={page}>{target}</Anchor> : <span className="dim">{target}</span>}
      </div>
    </>
  );
}
