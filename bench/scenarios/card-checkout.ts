import type { Target } from '../server/target.ts';
import { BUYERS, CHECKOUTS_OF_BUYER, newCart, send } from './checkout.ts';
import type { Drain } from './drain.ts';

/** What Stripe.js does once the buyer has entered a card. */
async function payAtStripe({ stripe }: Target, clientSecret: string): Promise<void> {
  const { url, publishableKey } = stripe!;
  const ref = clientSecret.split('_secret_')[0]!;
  const body = new URLSearchParams({
    key: publishableKey,
    client_secret: clientSecret,
    payment_method: 'pm_card_visa',
  });
  const response = await fetch(`${url}/v1/payment_intents/${ref}/confirm`, { method: 'POST', body });
  const { status } = (await response.json()) as { status: string };
  if (status !== 'succeeded') throw new Error(`the payment is ${status}`);
}

/** A cart, its payment at Stripe, and the return to the shop, while Stripe's webhook arrives. */
async function checkOut(target: Target): Promise<void> {
  const cart = await newCart(target);
  const { payment } = await send(target, `/carts/${cart.id}/pay`, { method_id: target.stripe!.method });
  await payAtStripe(target, payment!.client_secret);
  const { status } = await send(target, `/carts/${cart.id}/confirm`, {});
  if (status !== 'placed') throw new Error(`cart ${cart.id} is ${status}`);
}

export const cardCheckout: Drain = {
  name: 'card-checkout',
  title: 'checkouts by 32 buyers, paid by card at a stand-in for Stripe on the same processors, with its webhooks',
  needs: 'stripe',
  fill: () => Promise.resolve(BUYERS * CHECKOUTS_OF_BUYER),
  async done(target) {
    const buyers = Array.from({ length: BUYERS }, async () => {
      for (let n = 0; n < CHECKOUTS_OF_BUYER; n++) await checkOut(target);
    });
    await Promise.all(buyers);
    return true;
  },
  goal: 200,
};
