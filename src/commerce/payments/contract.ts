import Type, { type Static } from 'typebox';
import { Id, Nullable, OneOf } from '../../lib/schemas.ts';
import { PROVIDERS } from './methods/method.ts';
import { PAYMENT_STATUSES } from './payment.ts';

export const Payment = Type.Object({
  id: Id,
  cart_id: Nullable(Type.Integer()),
  order_id: Nullable(Type.Integer({ description: 'null until the order is placed' })),
  method_id: Id,
  provider: OneOf(PROVIDERS),
  label: Type.String({ description: 'The name of the method at that time' }),
  amount: Type.Number(),
  currency: Type.String({ description: 'ISO 4217' }),
  status: OneOf(PAYMENT_STATUSES, {
    description: 'action_required: the money is awaited; cancelled: no money will be taken',
  }),
  instructions: Nullable(Type.String({ description: 'What the method tells the buyer' })),
  reference: Nullable(Type.String({ description: 'What the buyer states with a transfer' })),
  due_on: Nullable(Type.String({ format: 'date', description: 'The goods are reserved until then' })),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Payment = Static<typeof Payment>;
