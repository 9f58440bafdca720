import { amountJson } from './hal.ts';
import type { MolliePayment } from './state.ts';

const BUTTONS = { pay: 'Pay', authorize: 'Authorize', fail: 'Fail', cancel: 'Cancel', leave: 'Leave' } as const;
export type CheckoutAction = keyof typeof BUTTONS;

export function isCheckoutAction(value: string | null): value is CheckoutAction {
  return value !== null && Object.hasOwn(BUTTONS, value);
}

/** The hosted page, on which a buyer chooses what happens. */
export function checkoutPage(payment: MolliePayment): string {
  const { currency, value } = amountJson(payment.amount, payment.currency);
  const offered = (Object.keys(BUTTONS) as CheckoutAction[]).filter(
    (action) => action !== (payment.manualCapture ? 'pay' : 'authorize'),
  );
  const buttons = offered.map((action) => `<button name="action" value="${action}">${BUTTONS[action]}</button>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Checkout</title></head>
<body>
<main>
<h1>${escaped(payment.description)}</h1>
<p>${value} ${currency}</p>
<form method="post">${buttons.join('\n')}</form>
</main>
</body>
</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
