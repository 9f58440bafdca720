import { tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';

/** Pages of records, by their names in the log. */
const PAGES: Record<string, string> = {
  campaign: 'campaigns',
  contact: 'contacts',
  customer: 'customers',
  flow: 'flows',
  form: 'forms',
  import: 'imports',
  list: 'lists',
  message: 'messages',
  order: 'orders',
  product: 'products',
  promo_code: 'promo-codes',
  segment: 'segments',
  shipping_method: 'shipping',
  shipping_zone: 'shipping/zones',
  subscription: 'subscriptions',
  subscription_frequency: 'subscriptions/frequencies',
  tax_rule: 'taxes',
  template: 'templates',
  webhook_endpoint: 'webhooks',
};

/** `product.update` in the person's language. */
export function actionText(action: string): string {
  const [noun = '', verb = ''] = action.split(/\.(.*)/s);
  return `${tOf('audit.noun', noun)}: ${tOf('audit.verb', verb)}`;
}

/** What was done, and to which record, with a link to its page. */
export function Action({ action, target }: { action: string; target: string }) {
  const [noun = '', id] = target.split(/:(.*)/s);
  const page = PAGES[noun];
  const hasPage = page !== undefined && /^\d+$/.test(id ?? '') && !action.endsWith('.delete');
  return (
    <>
      <div className="break">{actionText(action)}</div>
      <div className="break">
        {hasPage ? <Anchor path={`${page}/${id}`}>{target}</Anchor> : <span className="dim">{target}</span>}
      </div>
    </>
  );
}
