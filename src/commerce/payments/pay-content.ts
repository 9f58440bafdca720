import { type Html, html } from '../../lib/html.ts';
import { formatMoney } from '../../messaging/compose/liquid/money.ts';
import type { Language } from '../../messaging/consent/languages.ts';
import type { Shop } from '../shop.ts';
import type { Payment } from './contract.ts';
import { methodsFor } from './methods/choose.ts';
import type { PaymentMethod } from './methods/method.ts';
import type { PayKind } from './pay-links.ts';
import { payTexts } from './pay-texts.ts';
import type { PayBill, PayProblem, PayView } from './pay-view.ts';

type Texts = ReturnType<typeof payTexts>;

interface PayPage {
  kind: PayKind;
  shop: Shop;
  language: Language;
  /** Why the last attempt was refused. */
  refused: PayProblem | null;
}

/** The content of the page of a pay link. Works without scripts. */
export function payContent(view: PayView, { kind, shop, language, refused }: PayPage): Html {
  const texts = payTexts(language);
  const money = (amount: number): string => formatMoney(String(amount), shop.currency, language);
  const intro = html`<p>${texts.from(shop.name)}</p>`;
  if (view.state === 'closed') return html`${intro}<p>${texts.closed(shop.name)}</p>`;
  if (view.state === 'placed') {
    const { orderId, payment } = view;
    return html`${intro}<p role="status">${texts.placed(orderId)}</p>${payment === null ? null : howToPay(payment, texts.payBy, texts, { money, language })}`;
  }
  const { bill } = view;
  const table = billTable(bill, texts, money);
  if (view.state === 'waiting') {
    return html`${intro}${howToPay(view.payment, texts.waiting, texts, { money, language })}${table}
<form method="post"><input type="hidden" name="do" value="reopen"><button>${texts.otherMethod}</button></form>`;
  }
  const shown = new Set([...(refused === null ? [] : [refused]), ...view.problems]);
  const alerts = [...shown].map(
    (problem) => html`<p role="alert">${texts.problem[problem](shop.name, money(bill.total))}</p>`,
  );
  const form = view.problems.length > 0 ? null : payForm(bill, { kind, shop, texts });
  return html`${intro}${alerts}${table}${form}`;
}

function howToPay(
  { amount, label, instructions, reference, due_on }: Payment,
  say: (amount: string, method: string) => string,
  texts: Texts,
  { money, language }: { money: (amount: number) => string; language: Language },
): Html {
  const day =
    due_on === null
      ? null
      : new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(due_on));
  return html`<p role="status">${say(money(amount), label)}</p>${instructions === null ? null : html`<p style="white-space:pre-line">${instructions}</p>`}
${reference === null ? null : html`<p>${texts.reference}: <strong>${reference}</strong></p>`}${day === null ? null : html`<p>${texts.due}: <strong>${day}</strong></p>`}`;
}

function billTable({ lines, sums, total }: PayBill, texts: Texts, money: (amount: number) => string): Html {
  const row = (name: Html, amount: number): Html => html`<tr><th scope="row">${name}</th><td>${money(amount)}</td></tr>
`;
  const products = lines.map(({ name, title, qty, amount, problem }) => {
    const more = [title, texts.units(qty), problem && texts.line[problem]].filter((text) => text !== null);
    return row(html`${name}<br><small>${more.join(' · ')}</small>`, amount);
  });
  const between = sums
    .filter(({ amount }) => amount !== 0)
    .map(({ kind, amount }) =>
      row(html`${texts.sum[kind]}`, kind === 'discount' || kind === 'paid' ? -amount : amount),
    );
  return html`<table><thead><tr><th scope="col">${texts.product}</th><td>${texts.amount}</td></tr></thead><tbody>
${products}${between}<tr class="total"><th scope="row">${texts.sum.total}</th><td>${money(total)}</td></tr>
</tbody></table>`;
}

function payForm({ total }: PayBill, { kind, shop, texts }: { kind: PayKind; shop: Shop; texts: Texts }): Html {
  const methods = methodsFor(shop, total);
  if (total > 0 && methods.length === 0) return html`<p role="alert">${texts.noMethods(shop.name)}</p>`;
  const choices = methods.map((method) => choice(method, methods.length === 1));
  return html`<form method="post"><input type="hidden" name="expected" value="${total}">
${total === 0 ? html`<p>${texts.free}</p>` : html`<fieldset><legend><h2>${texts.choose}</h2></legend>${choices}</fieldset>`}
<p><button>${texts.button[kind]}</button></p></form>`;
}

function choice({ id, name, description }: PaymentMethod, isOnly: boolean): Html {
  return html`<label><input type="radio" name="method" value="${id}" required${isOnly ? html` checked` : null}> ${name}${description === null ? null : html`<br><small>${description}</small>`}</label>
`;
}
