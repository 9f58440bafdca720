import { type Html, html } from '../../lib/html.ts';
import { formatMoney } from '../../messaging/compose/liquid/money.ts';
import type { Language } from '../../messaging/consent/languages.ts';
import type { Shop } from '../shop.ts';
import type { Payment } from './contract.ts';
import { methodsFor } from './methods/choose.ts';
import type { PaymentMethod } from './methods/method.ts';
import { type ElementsSetup, elementsSetup } from './pay-elements.ts';
import type { PayKind } from './pay-links.ts';
import { PAY_SCRIPT_PATH } from './pay-script.ts';
import { payTexts } from './pay-texts.ts';
import type { PayBill, PayProblem, PayView } from './pay-view.ts';

type Texts = ReturnType<typeof payTexts>;

interface PayPage {
  kind: PayKind;
  shop: Shop;
  language: Language;
  /** Where the page is on this server. */
  path: string;
  /** Why the last attempt was refused. */
  refused: PayProblem | null;
  /** Whether the link is too old to begin or end a payment. */
  isExpired: boolean;
  /** Of Stripe. */
  scriptUrl: string;
}

/** The content of the page of a pay link. Works without scripts, except for cards: `hasCards` tells whether it offers them. */
export function payContent(view: PayView, page: PayPage): { content: Html; hasCards: boolean } {
  const { shop, language, refused } = page;
  const texts = payTexts(language);
  const money = (amount: number): string => formatMoney(String(amount), shop.currency, language);
  const intro = html`<p>${texts.from(shop.name)}</p>`;
  const plain = (content: Html) => ({ content: html`${intro}${content}`, hasCards: false });
  if (view.state === 'closed') return plain(html`<p>${texts.closed(shop.name)}</p>`);
  if (view.state === 'placed') {
    const { orderId, payment } = view;
    return plain(
      html`<p role="status">${texts.placed(orderId)}</p>${payment === null ? null : howToPay(payment, texts.payBy, texts, { money, language })}`,
    );
  }
  const { bill } = view;
  const table = billTable(bill, texts, money);
  const isDeclined = view.state === 'open' ? view.declined : view.payment.failure !== null;
  const found = [refused, isDeclined ? ('declined' as const) : null, ...(view.state === 'open' ? view.problems : [])];
  const alerts = [...new Set(found)]
    .filter((problem) => problem !== null)
    .map((problem) => html`<p role="alert">${texts.problem[problem](shop.name, money(bill.total))}</p>`);
  const before = html`${intro}${alerts}`;
  if (view.state === 'waiting') return waiting(view.payment, bill, { page, texts, money, before, table });
  if (view.problems.length > 0) return { content: html`${before}${table}`, hasCards: false };
  const { content, hasCards } = payForm(bill, page, texts);
  return { content: html`${before}${table}${content}`, hasCards };
}

/** The buyer can go on with a payment that is under way, or end it. */
function waiting(
  payment: Payment,
  bill: PayBill,
  {
    page,
    texts,
    money,
    before,
    table,
  }: { page: PayPage; texts: Texts; money: (amount: number) => string; before: Html; table: Html },
): { content: Html; hasCards: boolean } {
  const { shop, language, path, isExpired } = page;
  const { provider, label, status } = payment;
  const reopen = isExpired
    ? null
    : html`<form method="post"><input type="hidden" name="do" value="reopen"><button>${texts.otherMethod}</button></form>`;
  if (provider === 'manual') {
    const how = howToPay(payment, texts.waiting, texts, { money, language });
    return {
      content: html`${before}${how}${table}
${reopen}`,
      hasCards: false,
    };
  }
  const isUnderWay = status === 'action_required';
  if (!isUnderWay || isExpired) {
    const again = html`<p><a href="${path}">${texts.lookAgain}</a></p>`;
    const state = html`<p role="status">${isUnderWay ? texts.underWay(label) : texts.processing(label)}</p>`;
    // Money that is on its way cannot be stopped.
    const end = status === 'created' ? reopen : null;
    return { content: html`${before}${state}${table}${again}${end}`, hasCards: false };
  }
  const method = shop.paymentMethods.find(({ id }) => id === payment.method_id)!;
  const setup = provider === 'stripe' ? elementsSetup(method, { shop, total: payment.amount, kind: page.kind }) : null;
  const chosen = html`<input type="hidden" name="method" value="${method.id}">${setup === null ? null : place(method, setup)}`;
  const form = formOf(chosen, { total: bill.total, hasCards: setup !== null, page, texts });
  const state = html`<p role="status">${texts.underWay(label)}</p>`;
  return { content: html`${before}${state}${table}${form}${reopen}`, hasCards: setup !== null };
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

function payForm(bill: PayBill, page: PayPage, texts: Texts): { content: Html; hasCards: boolean } {
  const { kind, shop } = page;
  const { total } = bill;
  const offered = methodsFor(shop, total)
    .map((method) => {
      const setup = method.provider === 'stripe' ? elementsSetup(method, { shop, total, kind }) : null;
      return { method, setup };
    })
    .filter(({ method, setup }) => method.provider !== 'stripe' || setup !== null);
  if (total > 0 && offered.length === 0) {
    return { content: html`<p role="alert">${texts.noMethods(shop.name)}</p>`, hasCards: false };
  }
  const hasCards = total > 0 && offered.some(({ setup }) => setup !== null);
  const choices = offered.map(({ method, setup }) => choice(method, setup, offered.length === 1));
  const chosen =
    total === 0
      ? html`<p>${texts.free}</p>`
      : html`<fieldset><legend><h2>${texts.choose}</h2></legend>${choices}</fieldset>`;
  return { content: formOf(chosen, { total, hasCards, page, texts }), hasCards };
}

/** The form that begins to pay. With cards, it has what the script needs, a hint that this takes away, and where declines are told. */
function formOf(
  chosen: Html,
  { total, hasCards, page, texts }: { total: number; hasCards: boolean; page: PayPage; texts: Texts },
): Html {
  const { kind, path, scriptUrl } = page;
  const begin = hasCards
    ? html` data-begin="${path}/begin" data-unavailable="${texts.needsScripts}" data-failed="${texts.failed}"`
    : null;
  const alert = hasCards ? html`<p data-hint>${texts.needsScripts}</p><p role="alert" hidden></p>` : null;
  const scripts = hasCards
    ? html`<script src="${scriptUrl}" defer></script><script src="${PAY_SCRIPT_PATH}" defer></script>`
    : null;
  return html`<form method="post"${begin}><input type="hidden" name="expected" value="${total}">
${chosen}${alert}
<p><button>${texts.button[kind]}</button></p></form>${scripts}`;
}

/** A card is chosen once the script that takes it is there. */
function choice({ id, name, description }: PaymentMethod, setup: ElementsSetup | null, isOnly: boolean): Html {
  const isOff = setup !== null;
  const more = description === null ? null : html`<br><small>${description}</small>`;
  return html`<label><input type="radio" name="method" value="${id}" required${isOnly ? html` checked` : null}${isOff ? html` disabled` : null}> ${name}${more}</label>
${setup === null ? null : place({ id }, setup)}`;
}

/** Where Stripe.js shows the fields of a card. */
function place({ id }: Pick<PaymentMethod, 'id'>, setup: ElementsSetup): Html {
  return html`<div data-method="${id}" data-stripe="${JSON.stringify(setup)}" hidden></div>
`;
}
