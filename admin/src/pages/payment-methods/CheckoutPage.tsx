import './texts.ts';
import { useQuery } from '@tanstack/react-query';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { PaymentTabs } from './Tabs.tsx';

const groups = (): FieldGroup<BodyOf<'/checkout-settings', 'patch'>>[] => [
  {
    title: t('checkout.store'),
    fields: [
      { name: 'store_url', label: t('checkout.store_url'), type: 'url', help: t('checkout.store_url.help') },
      {
        name: 'show_stock',
        label: t('checkout.show_stock'),
        type: 'choice',
        choices: [
          { value: 'few', label: t('checkout.show_stock.few') },
          { value: 'exact', label: t('checkout.show_stock.exact') },
          { value: 'none', label: t('checkout.show_stock.none') },
        ],
      },
    ],
  },
  {
    title: t('checkout.carts'),
    fields: [
      {
        name: 'cart_merge',
        label: t('checkout.cart_merge'),
        type: 'choice',
        help: t('checkout.cart_merge.help'),
        choices: [
          { value: 'larger', label: t('checkout.cart_merge.larger') },
          { value: 'add', label: t('checkout.cart_merge.add') },
        ],
      },
      {
        name: 'abandoned_after_minutes',
        label: t('checkout.abandoned'),
        type: 'number',
        help: t('checkout.abandoned.help'),
      },
    ],
  },
  {
    title: t('checkout.services'),
    fields: [
      {
        name: 'refund_on_cancel',
        label: t('checkout.refund_on_cancel'),
        type: 'switch',
        help: t('checkout.refund_on_cancel.help'),
      },
      {
        name: 'wrong_amount',
        label: t('checkout.wrong_amount'),
        type: 'choice',
        help: t('checkout.wrong_amount.help'),
        choices: [
          { value: 'refund', label: t('checkout.wrong_amount.refund') },
          { value: 'hold', label: t('checkout.wrong_amount.hold') },
        ],
      },
    ],
  },
  {
    title: t('checkout.subscriptions'),
    fields: [
      {
        name: 'retry_days',
        label: t('checkout.retry_days'),
        type: 'text',
        help: t('checkout.retry_days.help'),
        bodyOf: (value) => daysOf(String(value)),
      },
      {
        name: 'after_retries',
        label: t('checkout.after_retries'),
        type: 'choice',
        choices: [
          { value: 'pause', label: t('checkout.after_retries.pause') },
          { value: 'skip', label: t('checkout.after_retries.skip') },
          { value: 'cancel', label: t('checkout.after_retries.cancel') },
        ],
      },
    ],
  },
];

/** What is no number stays a text: the server refuses it. */
function daysOf(text: string): unknown[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

export function CheckoutPage() {
  const { api, company, can } = useShop();
  const settings = useQuery({
    queryKey: [company.id, 'checkout-settings'],
    queryFn: ({ signal }) => dataOf(api.GET('/checkout-settings', { signal })),
  });
  return (
    <>
      <PageHeader title={t('checkout.title')} />
      <PaymentTabs current="payment-methods/checkout" />
      <Loaded query={settings}>
        {({
          store_url,
          show_stock,
          cart_merge,
          abandoned_after_minutes,
          refund_on_cancel,
          wrong_amount,
          retry_days,
          after_retries,
        }) => (
          <RecordForm
            draft="checkout-settings"
            groups={groups()}
            initial={{
              store_url: store_url ?? '',
              show_stock,
              cart_merge,
              abandoned_after_minutes: String(abandoned_after_minutes),
              refund_on_cancel,
              wrong_amount,
              retry_days: retry_days.join(', '),
              after_retries,
            }}
            save={(body) => dataOf(api.PATCH('/checkout-settings', { body }))}
            done={{ text: t('form.saved') }}
            submit={t('action.save')}
            readOnly={!can('settings:write')}
          />
        )}
      </Loaded>
    </>
  );
}
