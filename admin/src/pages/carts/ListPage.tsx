import './texts.ts';
import { CART_STATUSES } from '../../../../src/commerce/carts/row.ts';
import { ORDER_ORIGINS } from '../../../../src/commerce/orders/origin.ts';
import { rowsOf } from '../../api/client.ts';
import { type SearchValues, useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { Status } from '../../ui/Status.tsx';
import { PageTabs } from '../../ui/tabs/PageTabs.tsx';
import { CustomerText, ListedCustomer } from '../customers/CustomerName.tsx';
import { type WithCustomer, withCustomers } from '../customers/queries.ts';
import { CopyLink } from './CopyLink.tsx';
import { buyerOf, type Cart, REFRESH_MS, unitsOf } from './queries.ts';

/** Without the customer for roles that may not read customers. */
type ListedCart = Cart | WithCustomer<Cart>;

const VIEWS = [
  { name: 'all', path: 'carts' },
  { name: 'open', path: 'carts?status=open' },
  { name: 'abandoned', path: 'carts?abandoned=true' },
  { name: 'paying', path: 'carts?status=paying' },
] as const;

/** Links to the carts of one state; other filters may narrow them. */
function Views({ values: { status, abandoned } }: { values: SearchValues }) {
  const filter = abandoned === 'true' && status === undefined ? 'abandoned=true' : status && `status=${status}`;
  const tabs = VIEWS.map(({ name, path }) => ({ path, text: t(`cart.view.${name}`) }));
  return <PageTabs label={t('cart.views')} tabs={tabs} current={filter === undefined ? 'carts' : `carts?${filter}`} />;
}

/** What buyers have in their carts, and the orders that staff are taking. */
export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  const [values] = useSearchValues();
  return (
    <List<ListedCart>
      name="carts"
      live="orders"
      refreshMs={REFRESH_MS}
      title={t('nav.carts')}
      resource="carts"
      below={<Views values={values} />}
      load={async (query, signal) => {
        const page = await rowsOf(api.GET('/carts', { params: { query }, signal }));
        return can('customers:read') ? withCustomers(api, page, signal) : page;
      }}
      idOf={(cart) => cart.id}
      path={(cart) => `carts/${cart.id}`}
      columns={[
        { key: 'id', title: t('cart.number'), cell: (cart) => `#${cart.id}`, csv: (cart) => cart.id },
        {
          key: 'buyer',
          title: t('cart.buyer'),
          cell: (cart) => <Buyer cart={cart} />,
          csv: (cart) => cart.customer_id ?? cart.email,
        },
        {
          key: 'status',
          title: t('field.status'),
          cell: (cart) => <Status value={cart.status} />,
          csv: (cart) => cart.status,
        },
        {
          key: 'origin',
          title: t('order.origin'),
          wide: true,
          cell: (cart) => tOf('order.origin', cart.origin),
          csv: (cart) => cart.origin,
        },
        {
          key: 'items',
          title: t('order.items'),
          align: 'right',
          wide: true,
          cell: (cart) => format.number(unitsOf(cart)),
          csv: unitsOf,
        },
        {
          key: 'updated_at',
          title: t('field.changed'),
          cell: (cart) => <Moment at={cart.updated_at} />,
          csv: (cart) => cart.updated_at,
        },
        {
          key: 'total',
          title: t('order.total'),
          align: 'right',
          cell: (cart) => format.money(cart.total, cart.currency),
          csv: (cart) => cart.total,
        },
        {
          key: 'recover_url',
          title: t('cart.recover'),
          wide: true,
          cell: (cart) => <CopyLink cart={cart} />,
          csv: (cart) => cart.recover_url,
        },
      ]}
      filters={[
        {
          key: 'status',
          title: t('field.status'),
          type: 'choice',
          choices: CART_STATUSES.map((value) => ({ value, label: tOf('status', value) })),
        },
        {
          key: 'origin',
          title: t('order.origin'),
          type: 'choice',
          choices: ORDER_ORIGINS.map((value) => ({ value, label: tOf('order.origin', value) })),
        },
        { key: 'abandoned', title: t('cart.view.abandoned'), type: 'yes_no' },
        { key: 'customer_id', title: t('field.customer'), type: 'record', record: (id) => <CustomerText id={id} /> },
        { key: 'email', title: t('field.email'), type: 'text' },
      ]}
      {...(can('carts:write') ? { create: { path: 'orders/new', text: t('order.new') } } : {})}
      empty={{ icon: 'shopping-cart', title: t('cart.empty'), text: t('cart.empty.text') }}
    />
  );
}

function Buyer({ cart }: { cart: ListedCart }) {
  const { customer_id: id, email } = cart;
  if (id !== null) {
    if ('customer' in cart) return <ListedCustomer id={id} customer={cart.customer} />;
    return t('customer.title', { id });
  }
  const name = buyerOf(cart);
  if (name === '') return <span className="dim">{t('cart.nobody')}</span>;
  return (
    <span className="break">
      {name}
      {email === null || name === email ? null : (
        <>
          <br />
          <span className="dim">{email}</span>
        </>
      )}
    </span>
  );
}
