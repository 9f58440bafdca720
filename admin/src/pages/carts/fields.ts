import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/i18n.ts';
import { shippingFields } from '../../ui/form/addresses.ts';
import type { Over } from '../../ui/form/contested.ts';
import { numberOf } from '../../ui/form/numbers.ts';
import type { FieldContext, FieldOf, Value, Values } from '../../ui/form/values.ts';
import type { useFormat } from '../../ui/format.tsx';
import type { FieldGroup } from '../../ui/RecordForm.tsx';
import { customGroups, customValues, gathered, type WithCustom } from '../custom-fields/fields.tsx';
import type { CustomField } from '../custom-fields/queries.ts';
import type { Cart, CartPatch } from './queries.ts';
import type { CartWrites } from './useCartWrites.ts';

/** What the form of a cart changes: fields of the cart, and the quantities of its lines. */
export type Changes = WithCustom<CartPatch> & { [name: `qty_${string}`]: unknown };

export const qtyName = (line: { id: number }): `qty_${number}` => `qty_${line.id}`;

const numberOrNull = (value: Value): number | null => (value === '' ? null : Number(value));

/** The fields of a cart beside its lines and its customer. */
export function cartGroups(
  cart: Cart,
  custom: readonly CustomField[],
  context: FieldContext,
  { money }: ReturnType<typeof useFormat>,
): FieldGroup<Changes>[] {
  const methods = cart.shipping_methods.map(({ id, name, cost }) => ({
    value: String(id),
    label: `${name}: ${money(cost)}`,
  }));
  const { shipping_method_id: chosen } = cart;
  const isOffered = chosen === null || methods.some(({ value }) => value === String(chosen));
  const guest: FieldGroup<Changes> = {
    title: t('cart.guest'),
    fields: [
      { name: 'email', label: t('field.email'), type: 'email', help: t('cart.guest.email') },
      { name: 'first_name', label: t('field.first_name'), type: 'text', half: true },
      { name: 'last_name', label: t('field.last_name'), type: 'text', half: true },
      { name: 'phone', label: t('field.phone'), type: 'text' },
    ],
  };
  return [
    ...(cart.customer_id === null ? [guest] : []),
    {
      title: t('order.ship_to'),
      fields: [...shippingFields()],
    },
    {
      title: t('cart.reductions'),
      fields: [
        { name: 'promo_code', label: t('order.promo'), type: 'text', half: true },
        {
          name: 'redeem_points',
          label: t('cart.points'),
          type: 'number',
          half: true,
          bodyOf: (value) => (value === '' ? 0 : numberOf(String(value))),
        },
        {
          name: 'shipping_method_id',
          label: t('order.shipping'),
          type: 'choice',
          bodyOf: numberOrNull,
          choices: [
            { value: '', label: t('cart.first_method') },
            ...methods,
            ...(isOffered ? [] : [{ value: String(chosen), label: t('cart.method_not_offered') }]),
          ],
        },
      ],
    },
    {
      title: t('cart.note'),
      fields: [{ name: 'note', label: t('cart.note'), type: 'long', help: t('cart.note.help') }],
    },
    ...customGroups<Changes>(custom, context),
  ];
}

/** The quantities, which are fields of the lines. */
export function qtyGroup(cart: Cart): FieldGroup<Changes> {
  const fields = cart.lines.map((line) => ({ name: qtyName(line), label: t('field.quantity'), type: 'number' }));
  return { title: t('order.items'), fields: fields as FieldOf<Changes>[] };
}

export function valuesOf(cart: Cart, custom: readonly CustomField[], context: FieldContext): Values {
  return {
    email: cart.email ?? '',
    first_name: cart.first_name,
    last_name: cart.last_name,
    phone: cart.phone ?? '',
    shipping_address: cart.shipping_address,
    shipping_zip: cart.shipping_zip,
    shipping_city: cart.shipping_city,
    shipping_state: cart.shipping_state,
    shipping_country: cart.shipping_country ?? '',
    promo_code: cart.promo_code ?? '',
    redeem_points: cart.redeem_points === 0 ? '' : String(cart.redeem_points),
    shipping_method_id: cart.shipping_method_id === null ? '' : String(cart.shipping_method_id),
    note: cart.note ?? '',
    ...Object.fromEntries(cart.lines.map((line) => [qtyName(line), String(line.qty)])),
    ...customValues(custom, cart.custom, context),
  };
}

/** Saves what was changed over a revision of the cart: its fields in one request, and each quantity in its own. */
export async function saveChanges(writes: CartWrites, cart: Cart, changes: Changes, over: Over): Promise<void> {
  const entries = Object.entries(changes);
  const fields = Object.fromEntries(entries.filter(([name]) => !name.startsWith('qty_')));
  let headers = over;
  const follow = ({ revision }: Cart): void => {
    headers = { 'If-Match': `"${revision}"` };
  };
  if (Object.keys(fields).length > 0) {
    follow(await writes.change(gathered<CartPatch>(fields as WithCustom<CartPatch>), headers));
  }
  for (const line of cart.lines) {
    const name = qtyName(line);
    if (name in changes) follow(await saveQty(writes.changeQty(line.id, changes[name] as number, headers), name));
  }
}

async function saveQty(written: Promise<Cart>, name: string): Promise<Cart> {
  try {
    return await written;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message } = error;
    const shown = code === 'insufficient_stock' ? [{ field: name, message: t('cart.problem.out_of_stock') }] : [];
    const fields = error.fields.map((one) => (one.field === 'qty' ? { ...one, field: name } : one));
    throw new ApiError(status, code, message, [...shown, ...fields]);
  }
}
