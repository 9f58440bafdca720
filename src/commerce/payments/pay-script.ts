/** Where the pages of pay links load the script below from. */
export const PAY_SCRIPT_PATH = '/pay/pay.js';

/**
 * The script of pages that offer cards. It shows Stripe's Payment Element below the method that is chosen. A click on Pay reserves the goods and
 * starts the payment, then Stripe.js takes the card. Other methods are sent by the form itself.
 */
export const PAY_SCRIPT = `(() => {
  const form = document.querySelector('form[data-begin]');
  const alert = form.querySelector('[role=alert]');
  const places = [...form.querySelectorAll('[data-stripe]')];
  const cards = new Map();
  const here = location.origin + location.pathname;
  let begun = null;
  let isBusy = false;

  const say = (text) => {
    alert.textContent = text;
    alert.hidden = text === '';
  };
  const chosen = () => places.find((place) => place.dataset.method === form.elements.method.value);

  function mount(place) {
    const { key, options } = JSON.parse(place.dataset.stripe);
    const stripe = Stripe(key, { locale: document.documentElement.lang });
    const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe';
    const elements = stripe.elements({ ...options, appearance: { theme } });
    const element = elements.create('payment');
    element.on('loaderror', () => say(form.dataset.unavailable));
    element.mount(place);
    return { stripe, elements };
  }

  function show() {
    for (const place of places) place.hidden = place !== chosen();
    const place = chosen();
    if (place !== undefined && !cards.has(place)) cards.set(place, mount(place));
  }

  /** The page tells what has become of the order. */
  function reload() {
    location.reload();
    return new Promise(() => {});
  }

  /** The page tells why the order cannot be paid as it is. */
  function send() {
    form.submit();
    return new Promise(() => {});
  }

  /** Returns the client secret of the payment, which further attempts continue, or what prevents it. */
  async function begin(method) {
    if (begun !== null && begun.method === method) return begun;
    const response = await fetch(form.dataset.begin, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
    const { client_secret: secret, message, next } = await response.json();
    if (next === 'reload') return reload();
    if (next === 'send') return send();
    if (secret) begun = { method, secret };
    return { secret, message };
  }

  /** Returns what the buyer is told; if the payment succeeds, the page is left. */
  async function pay({ stripe, elements }, method) {
    const checked = await elements.submit();
    if (checked.error) return checked.error.message;
    const { secret, message } = await begin(method);
    if (!secret) return message;
    const { error } = await stripe.confirmPayment({ elements, clientSecret: secret, confirmParams: { return_url: here } });
    if (error.code === 'payment_intent_unexpected_state') return reload();
    return error.message;
  }

  form.addEventListener('submit', async (event) => {
    const place = chosen();
    if (place === undefined) return;
    event.preventDefault();
    if (isBusy || !cards.has(place)) return;
    isBusy = true;
    say('');
    form.setAttribute('aria-busy', 'true');
    const text = await pay(cards.get(place), place.dataset.method).catch(() => form.dataset.failed);
    form.removeAttribute('aria-busy');
    isBusy = false;
    say(text || form.dataset.failed);
  });

  if (typeof Stripe === 'undefined') return;
  form.querySelector('[data-hint]').remove();
  for (const input of form.querySelectorAll('input:disabled')) input.disabled = false;
  form.addEventListener('change', show);
  show();
})();
`;
