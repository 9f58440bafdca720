/**
 * A stand-in for Stripe.js, served at `/v3/`: what a page needs to take a card by the Payment Element, which here is made of real inputs in the
 * page. It compares the amount of Elements with the PaymentIntent's, as Stripe.js does.
 */
export const STRIPE_JS = `(() => {
  const origin = new URL(document.currentScript.src).origin;

  async function call(key, method, path, params) {
    const form = new URLSearchParams({ ...params, key });
    const url = origin + '/v1' + path;
    const response = await (method === 'GET'
      ? fetch(url + '?' + form)
      : fetch(url, { method, body: form }));
    return response.json();
  }

  const idOf = (clientSecret) => clientSecret.split('_secret_')[0];

  function field(label, name, autocomplete, value) {
    const wrapper = document.createElement('label');
    const input = document.createElement('input');
    wrapper.append(label, ' ', input);
    input.name = name;
    input.autocomplete = autocomplete;
    input.inputMode = 'numeric';
    input.value = value;
    return { wrapper, input };
  }

  function createPaymentElement() {
    const listeners = new Map();
    const number = field('Card number', 'cardnumber', 'cc-number', '');
    const expiry = field('Expiration date', 'exp-date', 'cc-exp', '');
    const code = field('Security code', 'cvc', 'cc-csc', '');
    const box = document.createElement('div');
    box.dataset.stripeElement = 'payment';
    box.append(number.wrapper, expiry.wrapper, code.wrapper);
    const emit = (name, event) => (listeners.get(name) || []).forEach((listener) => listener(event));
    const isComplete = () => [number, expiry, code].every(({ input }) => input.value.trim() !== '');
    box.addEventListener('input', () =>
      emit('change', { elementType: 'payment', complete: isComplete(), empty: number.input.value === '', value: { type: 'card' } }),
    );
    const element = {
      mount(target) {
        const place = typeof target === 'string' ? document.querySelector(target) : target;
        if (!place) throw new Error('The selector you specified (' + target + ') applies to no DOM elements.');
        place.replaceChildren(box);
        setTimeout(() => emit('ready', { elementType: 'payment' }));
      },
      unmount() { box.remove(); },
      destroy() { box.remove(); },
      update() {},
      focus() { number.input.focus(); },
      on(name, listener) {
        listeners.set(name, [...(listeners.get(name) || []), listener]);
        return element;
      },
    };
    return { element, box, isComplete, number: () => number.input.value.replaceAll(' ', '') };
  }

  function askForChallenge(box) {
    const dialog = document.createElement('div');
    dialog.setAttribute('role', 'dialog');
    dialog.setAttribute('aria-label', '3-D Secure');
    const text = document.createElement('p');
    text.textContent = '3-D Secure 2 test page';
    const buttons = ['Pass', 'Fail'].map((label) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = label;
      return button;
    });
    dialog.append(text, ...buttons);
    (box && box.isConnected ? box.parentElement : document.body).append(dialog);
    return new Promise((resolve) => {
      buttons.forEach((button, index) =>
        button.addEventListener('click', () => {
          dialog.remove();
          resolve(index === 0 ? 'passed' : 'failed');
        }),
      );
    });
  }

  function mismatch(options, intent) {
    const pairs = [
      ['amount', options.amount, intent.amount],
      ['currency', options.currency, intent.currency],
      ['capture_method', options.captureMethod || 'automatic', intent.capture_method],
      ['setup_future_usage', options.setupFutureUsage || null, intent.setup_future_usage],
    ];
    const wrong = pairs.find(([, ours, theirs]) => ours !== theirs);
    return wrong
      ? { type: 'invalid_request_error', message: 'The ' + wrong[0] + ' of Elements does not match that of the PaymentIntent.' }
      : null;
  }

  window.Stripe = function Stripe(key) {
    if (!/^pk_/.test(key || '')) throw new Error('Please call Stripe() with your publishable key.');

    const retrieve = (clientSecret) =>
      call(key, 'GET', '/payment_intents/' + idOf(clientSecret), { client_secret: clientSecret });

    async function attempt(state, clientSecret) {
      const path = '/payment_intents/' + idOf(clientSecret);
      const intent = await retrieve(clientSecret);
      if (intent.error) return intent;
      if (state.options.mode) {
        const wrong = mismatch(state.options, intent);
        if (wrong) return { error: wrong };
      }
      const confirmed = await call(key, 'POST', path + '/confirm', {
        client_secret: clientSecret,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': state.payment.number(),
      });
      if (confirmed.error || confirmed.status !== 'requires_action') return confirmed;
      return challenge(clientSecret, state.payment.box);
    }

    async function challenge(clientSecret, box) {
      const outcome = await askForChallenge(box);
      const path = '/payment_intents/' + idOf(clientSecret) + '/challenge';
      const after = await call(key, 'POST', path, { client_secret: clientSecret, outcome });
      if (after.error) return after;
      return after.last_payment_error ? { error: { ...after.last_payment_error, payment_intent: after } } : after;
    }

    return {
      elements(options = {}) {
        const state = { options: { ...options }, payment: null, submitted: false };
        return {
          state,
          create(type) {
            if (type !== 'payment') throw new Error('Only the Payment Element is supported here: ' + type);
            state.payment = createPaymentElement();
            return state.payment.element;
          },
          getElement: (type) => (type === 'payment' && state.payment ? state.payment.element : null),
          update(changes) { Object.assign(state.options, changes); },
          fetchUpdates: async () => ({}),
          async submit() {
            if (!state.payment || !state.payment.isComplete()) {
              return { error: { type: 'validation_error', code: 'incomplete_number', message: 'Your card number is incomplete.' } };
            }
            state.submitted = true;
            return { selectedPaymentMethod: 'card' };
          },
        };
      },
      async retrievePaymentIntent(clientSecret) {
        const intent = await retrieve(clientSecret);
        return intent.error ? { error: intent.error } : { paymentIntent: intent };
      },
      async handleNextAction({ clientSecret }) {
        const intent = await retrieve(clientSecret);
        if (intent.error) return { error: intent.error };
        if (intent.status !== 'requires_action') {
          throw new Error('handleNextAction: The PaymentIntent supplied is not in the requires_action state.');
        }
        const result = await challenge(clientSecret, null);
        return result.error ? { error: result.error } : { paymentIntent: result };
      },
      async confirmPayment({ elements, clientSecret, confirmParams = {}, redirect = 'always' }) {
        const { state } = elements;
        const secret = clientSecret || state.options.clientSecret;
        if (state.options.mode && !state.submitted) {
          throw new Error('elements.submit() must be called before stripe.confirmPayment().');
        }
        if (redirect === 'always' && !confirmParams.return_url) throw new Error('confirmParams.return_url is required.');
        const result = await attempt(state, secret);
        state.submitted = false;
        if (result.error) return { error: result.error };
        if (redirect === 'if_required') return { paymentIntent: result };
        const back = new URL(confirmParams.return_url);
        back.searchParams.set('payment_intent', result.id);
        back.searchParams.set('payment_intent_client_secret', secret);
        back.searchParams.set('redirect_status', result.status === 'succeeded' ? 'succeeded' : 'pending');
        location.assign(back);
        return new Promise(() => {});
      },
    };
  };
  window.Stripe.version = 'double';
})();
`;
