/** A shop on the store interface. It needs what config.json has: where the shop is, its public key, and facets. */
const config = await (await fetch('config.json')).json();
const $ = (id) => document.getElementById(id);
/** Where tokens are kept: that of the cart stands for the buyer, and one for a customer who is signed in. */
const CART = 'shop.cart';
const CUSTOMER = 'shop.customer';
/** Where payment services send buyers back to. */
const BACK = { return_url: `${location.origin}${location.pathname}?back` };
/** Labels, names, and what a browser fills in. */
const ADDRESS = [
  ['E-mail address', 'email', { type: 'email', autocomplete: 'email', required: true }],
  ['First name', 'first_name', { autocomplete: 'given-name' }],
  ['Last name', 'last_name', { autocomplete: 'family-name' }],
  ['Street and number', 'shipping_address', { autocomplete: 'address-line1', required: true }],
  ['City', 'shipping_city', { autocomplete: 'address-level2', required: true }],
  ['State or region', 'shipping_state', { autocomplete: 'address-level1' }],
  ['ZIP or postal code', 'shipping_zip', { autocomplete: 'postal-code', required: true }],
];
const WORDS = {
  out_of_stock: 'There is not enough of it in stock.',
  insufficient_stock: 'There is not enough of it in stock.',
  price_changed: 'Its price has changed.',
  shipping_unavailable: 'We do not deliver to this address.',
  promo_not_found: 'We do not know this promo code.',
  cart_not_open: 'It can no longer be paid. If you have paid already, you get your order, or the money back.',
  payment_in_progress: 'You have begun to pay. Please go on, or change the order.',
  payment_declined: 'Your payment was declined. Please try again, or pay in another way.',
};
const UNPAID = 'Your payment is not complete.';
const wordsOf = (code) => WORDS[code] ?? `This cannot be used now: ${code.replaceAll('_', ' ')}.`;
/** Throws an error with the reason, and the fields that are wrong. */
async function ask(method, path, body, order) {
  const headers = { 'X-Store-Key': config.key, 'Content-Type': 'application/json' };
  const { [CART]: cart, [CUSTOMER]: customer } = localStorage;
  const isOwn = /^\/(cart|customers|me)\b/.test(path);
  if (cart && isOwn) headers['X-Cart-Token'] = cart;
  if (customer && isOwn) headers.Authorization = `Bearer ${customer}`;
  if (order !== undefined) headers['X-Order-Token'] = order;
  const sent = fetch(`${config.url}/store/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  const response = await sent.catch(() => Promise.reject(new Error('The shop cannot be reached. Please try again.')));
  const { data, meta, error } = await response.json();
  if (error?.details.reason === 'missing_session') localStorage.removeItem(CUSTOMER);
  if (!response.ok) throw Object.assign(new Error(WORDS[error.details.reason] ?? error.message), error.details);
  return { data, meta };
}
/** Makes an element of its properties and children. Texts become text, never markup. */
function el(name, ...parts) {
  const made = document.createElement(name);
  for (const part of parts.flat(2)) {
    if (typeof part === 'string' || part instanceof Node) made.append(part);
    else Object.assign(made, part);
  }
  return made;
}
const input = (label, id, more) => el('label', label, el('input', { id, name: id }, more));
const select = (label, id, options, more) => el('label', label, el('select', { id, name: id }, more, options));
const choice = (label, type, name, value, more) =>
  el('label', { className: 'choice' }, el('input', { type, id: `${name}=${value}`, name, value }, more), ` ${label}`);
const optionOf = (value) => el('option', { value }, value);
const group = (legend, children) => children.length > 0 && el('fieldset', el('legend', legend), children);
const markup = window.trustedTypes?.createPolicy('descriptions', { createHTML: (html) => html });
const title = (text, seo = {}) => el('h1', { tabIndex: -1, seo }, text);
const problem = (text) => el('p', { className: 'problem' }, text);
const columns = (...children) => el('div', { className: 'columns' }, children);
const button = (text, onclick, more) => el('button', { id: text, onclick }, more, text);
const fact = ([name, value]) => [el('dt', name), el('dd', value)];
const facts = (rows) => el('dl', rows.filter(Boolean).map(fact));
const say = (textContent, className = '') => Object.assign($('status'), { textContent, className });
const tell = ({ message }) => say(message, 'problem');
let isBusy = false;
/** Returns a listener that does `work`, one thing at a time, and says what came of it. */
const act = (work) => async (event) => {
  event.preventDefault();
  if (isBusy) return;
  isBusy = true;
  await work(event.target).then(say, (error) => {
    const wrong = (error.fields ?? []).filter(({ field }) => $(field));
    for (const { field } of wrong.toReversed()) Object.assign($(field), { ariaInvalid: 'true' }).focus();
    say([error.message, ...wrong.map(({ message }) => message)].join(' '), 'problem');
  });
  isBusy = false;
};
/** Shows what has changed in the meantime, but leaves a form as it is where it must be corrected. */
async function refused(error) {
  if (error.fields === undefined) await render();
  throw error;
}
/** Changes the cart, and shows it as it is then. */
const change = (method, path, bodyOf) =>
  act(async (target) => {
    await ask(method, path, bodyOf?.(target)).catch(refused);
    await render();
  });
const { data: shop } = await ask('GET', '/shop').catch((error) => tell(error) && Promise.reject(error));
const { format: money } = new Intl.NumberFormat(undefined, { style: 'currency', currency: shop.currency });
const { format: day } = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const countries = new Intl.DisplayNames(undefined, { type: 'region' });
const picture = (url) => url && el('img', { src: url, alt: '', loading: 'lazy' });
const pictureOf = ({ images }) => picture((images.find(({ is_primary }) => is_primary) ?? images[0])?.url);
const priceOf = ({ price, price_max: most }) => (most > price ? `${money(price)} to ${money(most)}` : money(price));
const stockOf = ({ in_stock, few_left: few }) => (in_stock === false ? 'Sold out' : few && `Only ${few} left`) ?? '';
async function list(_, query) {
  const wanted = new URLSearchParams([...query, ['per_page', 12], ['facets', config.facets.join(',')]]);
  const { data, meta } = await ask('GET', `/products?${wanted}`);
  const { page, total, total_pages: last } = meta.pagination;
  const filter = ({ currentTarget }) => {
    const filled = [...new FormData(currentTarget)].filter(([, value]) => value !== '');
    location.hash = `/?${new URLSearchParams(filled)}`;
  };
  const hidden = (name) => query.has(name) && el('input', { type: 'hidden', name, value: query.get(name) });
  const facets = meta.facets.map((facet) => facetOf(facet, query));
  const form = el('form', { onchange: filter }, ['search', 'collection'].map(hidden), facets);
  const open = $('filter')?.open ?? innerWidth >= 768;
  const more = (to, text) => el('a', { href: `#/?${new URLSearchParams([...query, ['page', to]])}` }, text);
  query.delete('page');
  const next = page < last && more(page + 1, 'Next');
  const pages = el('nav', { ariaLabel: 'Pages' }, page > 1 && more(page - 1, 'Before'), ' ', next);
  const cards = data.map((one) => {
    const link = el('a', { href: `#/product/${one.slug}` }, pictureOf(one), one.name);
    return el('li', link, el('div', priceOf(one)), el('div', stockOf(one)));
  });
  const found = el('div', el('p', `Found: ${total}`), el('ul', { className: 'products' }, cards), pages);
  const filters = el('details', { id: 'filter', open }, el('summary', 'Filter'), form);
  return [title(query.get('search') ?? 'Products'), columns(filters, found)];
}
function facetOf({ key, name, values, min, max }, query) {
  const limit = (label, id, placeholder) =>
    input(label, id, { type: 'number', min: 0, step: 'any', value: query.get(id) ?? '', placeholder });
  if (key === 'price') return group(name, [limit('From', 'price_min', min ?? ''), limit('To', 'price_max', max ?? '')]);
  const param = key.replace(':', '.');
  const isChosen = (value) => query.getAll(param).includes(value);
  const made = values.map(({ value, label, count }) => {
    const text = `${label} (${count})`;
    if (key === 'category') return el('option', { value, selected: isChosen(value) }, text);
    return choice(text, 'checkbox', param, value, { checked: isChosen(value) });
  });
  return key === 'category' ? select(name, param, [el('option', { value: '' }, 'All'), made]) : group(name, made);
}
async function product(ref) {
  const { data } = await ask('GET', `/products/${ref}`);
  const price = el('output');
  const buy = button('Add to cart');
  let chosen = data;
  const choose = () => {
    const fits = ({ options }) => options.every(({ name, value }) => value === form.elements[`option.${name}`].value);
    if (data.has_variants) chosen = data.variants.find(fits);
    buy.disabled = chosen === undefined || chosen.in_stock === false;
    price.textContent = chosen === undefined ? 'Not available' : `${money(chosen.price)} ${stockOf(chosen)}`;
  };
  const submit = act(async ({ elements }) => {
    await add([{ product_id: chosen.id, qty: Number(elements.qty.value) }]);
    return `${data.name} is in your cart.`;
  });
  const selectOf = ({ name, values }) => select(name, `option.${name}`, values.map(optionOf));
  const options = data.has_variants && data.options.map(selectOf);
  const qty = input('Quantity', 'qty', { type: 'number', min: 1, max: 9999, value: 1, required: true });
  const form = el('form', { onsubmit: submit, onchange: choose }, options, qty, el('p', price), buy);
  choose();
  // The only markup that may be inserted: the server makes it safe.
  const told = el('div', { innerHTML: markup?.createHTML(data.description_html) ?? data.description_html });
  return [columns(el('div', pictureOf(data)), el('div', title(data.name, data), told, form))];
}
/** null where there is none yet, or it is no longer known. */
async function readCart() {
  if (localStorage.getItem(CART) === null && localStorage.getItem(CUSTOMER) === null) return null;
  const { data } = await ask('GET', '/cart').catch((error) => {
    if (!['not_found', 'missing_session'].includes(error.reason)) throw error;
    localStorage.removeItem(CART);
    return { data: null };
  });
  return data;
}
async function add(lines) {
  const cart = await readCart();
  if (cart?.status === 'paying') throw new Error(WORDS.payment_in_progress);
  const isOpen = cart?.status === 'open';
  const { data } = await ask('POST', isOpen ? '/cart/lines' : '/cart', { lines });
  if (!isOpen) localStorage.setItem(CART, data.token);
  count(data);
}
function count(cart) {
  const lines = cart?.status === 'open' ? cart.lines : [];
  $('cart').textContent = `Cart (${lines.reduce((sum, { qty }) => sum + qty, 0)})`;
}
function amountsOf({ subtotal, discount, shipping, shipping_method: method, tax, total }) {
  const rows = [['Products', money(subtotal)], discount > 0 && ['Discount', money(-discount)]];
  const postage = [method?.name ? `Shipping, ${method.name}` : 'Shipping', money(shipping)];
  const taxed = [shop.prices_include_tax ? 'Of which tax' : 'Tax', money(tax)];
  return facts([...rows, postage, taxed, ['Total', money(total)]]);
}
const problemsOf = ({ problems }, line) =>
  problems.filter((one) => one.line_id === line).map(({ code }) => problem(wordsOf(code)));
async function cartPage() {
  const cart = await readCart();
  if (cart !== null && cart.status !== 'open') return payment(cart);
  if (!cart?.lines.length) return [title('Your cart is empty'), el('a', { href: '#/' }, 'Look at the products')];
  const lines = cart.lines.map((line) => {
    const path = `/cart/lines/${line.id}`;
    const onchange = change('PATCH', path, ({ value }) => ({ qty: Number(value) }));
    const qty = { type: 'number', min: 1, max: 9999, value: line.qty, onchange, ariaLabel: `Quantity of ${line.name}` };
    const remove = button('Remove', change('DELETE', path), { id: '', ariaLabel: `Remove ${line.name}` });
    const about = el('div', line.name, el('p', money(line.subtotal)), problemsOf(cart, line.id));
    const edit = el('div', el('input', { id: `qty${line.id}` }, qty), ' ', remove);
    return el('li', { className: 'line' }, el('div', picture(line.image)), about, edit);
  });
  const code = input('Promo code', 'promo_code', { value: cart.promo_code ?? '' });
  const { current_balance: most } = (localStorage.getItem(CUSTOMER) && (await ask('GET', '/me/loyalty')).data) ?? {};
  const limits = { type: 'number', min: 0, max: most, value: cart.redeem_points };
  const points = most > 0 && input(`Points to use, of ${most}`, 'redeem_points', limits);
  const onsubmit = change('PATCH', '/cart', ({ elements: { promo_code, redeem_points: used } }) => {
    return { promo_code: promo_code.value || null, redeem_points: Number(used?.value ?? 0) };
  });
  const form = el('form', { onsubmit }, code, points, button('Apply'));
  const on = el('a', { href: '#/checkout' }, 'Go to the checkout');
  return [title('Your cart'), el('ul', lines), form, problemsOf(cart, null), amountsOf(cart), on];
}
async function checkout() {
  const cart = await readCart();
  if (cart?.status !== 'open' || cart.lines.length === 0) return cartPage();
  const fields = ADDRESS.map(([label, name, more]) => input(label, name, { ...more, value: cart[name] ?? '' }));
  const chosen = cart.shipping_country ?? shop.country;
  const names = shop.countries.map((value) => [countries.of(value), value]).sort(([a], [b]) => a.localeCompare(b));
  const all = names.map(([name, value]) => el('option', { value, selected: value === chosen }, name));
  const country = select('Country', 'shipping_country', all, { autocomplete: 'country' });
  const news = choice('Send me news by e-mail', 'checkbox', 'news', 'yes', { checked: cart.accepts_marketing });
  const onsubmit = change('PATCH', '/cart', (form) => {
    const { news: accepts, ...address } = Object.fromEntries(new FormData(form));
    return { ...address, accepts_marketing: accepts !== undefined };
  });
  const form = el('form', { onsubmit }, el('h2', 'Where to'), fields, country, news, button('Save the address'));
  const isReady = cart.email !== null && !cart.estimated;
  return [title('Checkout'), columns(form, isReady ? payForm(cart) : el('p', 'Shipping and payment come next.'))];
}
function payForm(cart) {
  const { total } = cart;
  const onchange = change('PATCH', '/cart', ({ value }) => ({ shipping_method_id: Number(value) }));
  const ways = cart.shipping_methods.map(({ id, name, cost }) =>
    choice(`${name}: ${money(cost)}`, 'radio', 'way', id, { checked: id === cart.shipping_method?.id, onchange }),
  );
  const fits = ({ min_total: min, max_total: max }) => total > 0 && total >= (min ?? 0) && total <= (max ?? total);
  const methods = shop.payment_methods.filter(fits).map(({ id, name, description }) => {
    return choice(description ? `${name}: ${description}` : name, 'radio', 'method', id, { required: true });
  });
  const onsubmit = act(async ({ elements }) => {
    const method_id = total > 0 ? Number(elements.method.value) : null;
    const state = await ask('POST', '/cart/pay', { method_id, expected_total: total, ...BACK }).catch(refused);
    if (state.data.payment?.redirect_url) location.assign(state.data.payment.redirect_url);
    else await settle(state);
  });
  const choices = [el('h2', 'Shipping and payment'), group('Shipping', ways), group('Payment', methods)];
  const buy = button(`Order for ${money(total)}`);
  return el('form', { onsubmit }, choices, problemsOf(cart, null), amountsOf(cart), buy);
}
/** Goes to the order where it is placed; otherwise to what the buyer still has to do. */
async function settle({ data: { status, order_token: token } }) {
  if (status === 'placed') localStorage.removeItem(CART);
  const next = status === 'placed' ? `#/order/${token}` : '#/cart';
  if (location.hash === next) await render();
  location.hash = next;
  return { placed: 'Thank you.', open: UNPAID }[status] ?? 'Your payment has not arrived yet.';
}
const look = async () => settle(await ask('POST', '/cart/confirm').catch(refused));
async function payment({ lines }) {
  const state = await ask('POST', '/cart/confirm').catch((error) => ({ data: { error, status: error.reason } }));
  const { error, status: now, payment: due } = state.data;
  const anew = () => add(lines.map(({ product_id, qty }) => ({ product_id, qty }))).then(render);
  if (now === 'placed') return [title(await settle(state))];
  if (now === 'open') return cartPage();
  if (now === 'payment_declined') return (await cartPage()).toSpliced(1, 0, problem(error.message));
  const again = button('Start again', act(anew));
  if (now === 'cart_not_open') return [title('Your cart has ended'), problem(error.message), again];
  if (error) throw error;
  const how = due.client_secret ? await cardForm(due) : button('Has it arrived?', act(look));
  const on = due.redirect_url && el('p', el('a', { href: due.redirect_url }, 'Go on to pay'));
  const reopen = button('Change the order instead', change('POST', '/cart/reopen'));
  return [title('Please pay'), due.failure && problem(WORDS.payment_declined), paidBy(due), on, how, ' ', reopen];
}
/** The fields are Stripe's: what is in them never comes to the shop, which says so if it was cancelled, or paid in another tab. */
async function cardForm({ publishable_key: key, client_secret: clientSecret }) {
  const load = (onload, onerror) => document.head.append(el('script', { src: config.stripe, onload, onerror }));
  const failed = () => Promise.reject(new Error('The card form cannot be loaded. Please try again.'));
  if (window.Stripe === undefined) await new Promise(load).catch(failed);
  const stripe = window.Stripe(key);
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe';
  const elements = stripe.elements({ clientSecret, appearance: { theme } });
  const fields = el('div');
  addEventListener('shown', () => fields.isConnected && elements.create('payment').mount(fields), { once: true });
  const onsubmit = act(async () => {
    const { error } = await stripe.confirmPayment({ elements, redirect: 'if_required', confirmParams: BACK });
    return error && error.code !== 'payment_intent_unexpected_state' ? Promise.reject(error) : look();
  });
  return el('form', { onsubmit }, fields, button('Pay'));
}
/** How to pay is shown only while the money is awaited. */
function paidBy({ status, label, amount, captured, instructions, reference, due_on: due }) {
  const by = ['Payment', label];
  if (status !== 'action_required') return el('section', facts([by, ['Amount', money(amount)]]));
  const until = due && ['Due by', day(new Date(`${due}T00:00`))];
  const rows = [by, ['Amount', money(amount - captured)], reference && ['Reference', reference], until];
  return el('section', instructions && el('p', { className: 'told' }, instructions), facts(rows));
}
async function order(token) {
  const { data } = await ask('GET', '/order', undefined, token);
  const items = data.items.map((item) => el('li', `${item.qty} × ${item.product_name}: ${money(item.subtotal)}`));
  const { shipping_address: street, shipping_city: city, shipping_zip: zip, tracking_number: parcel } = data;
  const to = [street, `${city} ${zip}`, countries.of(data.shipping_country)].join(', ');
  const about = facts([['Status', data.status], ['To', to], parcel && ['Parcel', parcel]]);
  const payments = data.payments.filter(({ status }) => status !== 'cancelled').map(paidBy);
  return [title(`Order ${data.id}`), about, el('ul', items), amountsOf(data), payments];
}
async function account() {
  if (localStorage.getItem(CUSTOMER) === null) return signIn();
  const paths = ['/me', '/me/loyalty', '/me/orders'];
  const [me, points, orders] = await Promise.all(paths.map(async (path) => (await ask('GET', path)).data));
  const leave = act(async () => {
    await ask('POST', '/customers/logout');
    for (const name of [CART, CUSTOMER]) localStorage.removeItem(name);
    await render();
  });
  const about = el('p', `${me.email}, points: `, el('strong', `${points.current_balance}`));
  const placed = orders.map(({ id, total }) => el('li', `Order ${id}: ${money(total)}`));
  return [title('Your account'), about, el('ul', placed), button('Sign out', leave)];
}
function signIn() {
  const email = input('E-mail address', 'email', { type: 'email', autocomplete: 'email', required: true });
  const code = input('Code', 'code', { inputMode: 'numeric', autocomplete: 'one-time-code' });
  const onsubmit = act(async ({ elements }) => {
    const given = { email: elements.email.value, code: elements.code.value };
    if (given.code === '') {
      await ask('POST', '/customers/code', given);
      return 'We have sent you a code.';
    }
    localStorage.setItem(CUSTOMER, (await ask('POST', '/customers/verify', given)).data.token);
    await render();
    return 'You are signed in.';
  });
  const how = el('p', 'Leave the code empty, and we send you one.');
  return [title('Sign in'), el('form', { onsubmit }, email, code, how, button('Continue'))];
}
const PAGES = { account, product, cart: cartPage, checkout, order };
let renders = 0;
let before;
/** Shows what the address says. The focus stays where it was on the same page, and begins at the title of another one. */
async function render() {
  const mine = ++renders;
  // Messages lead to an order by `#order=` and its token.
  const address = location.hash.slice(1).replace(/^order=/, '/order/');
  const [path, query] = address.split('?');
  const [, name = '', ref = ''] = path.split('/');
  const page = Object.hasOwn(PAGES, name) ? PAGES[name] : list;
  const failed = ({ message }) => [title('This did not work'), problem(message)];
  const shown = await page(ref, new URLSearchParams(query)).catch(failed);
  if (mine !== renders) return;
  const here = `${name}/${ref}`;
  const focused = here === before && document.activeElement?.id;
  $('main').replaceChildren(el('div', shown));
  isBusy = false;
  readCart().then(count, tell);
  const heading = document.querySelector('h1');
  dispatchEvent(new Event('shown'));
  const { seo_title: named = heading.textContent, seo_description: told = '' } = heading.seo;
  [document.title, $('about').content] = [`${named} – ${shop.name}`, told];
  if (before !== undefined) ((focused && $(focused)) || heading).focus();
  before = here;
}
const suggested = new Map();
$('search').oninput = async ({ target: { value } }) => {
  if (value.trim() === '' || suggested.has(value)) return;
  const { data } = await ask('GET', `/suggest?${new URLSearchParams({ q: value.slice(0, 200) })}`);
  const places = { categories: '/?category=', collections: '/?collection=', products: '/product/' };
  for (const [kind, place] of Object.entries(places))
    for (const { name, slug } of data[kind]) suggested.set(name, place + slug);
  $('suggestions').replaceChildren(...[...suggested.keys()].map(optionOf));
};
$('find').onsubmit = (event) => {
  event.preventDefault();
  const { value: search } = $('search');
  location.hash = suggested.get(search) ?? `/?${new URLSearchParams({ search })}`;
};
addEventListener('hashchange', () => say('') && render());
// Another tab has begun a cart, or ordered it.
addEventListener('storage', ({ key }) => key === CART && render());
$('name').textContent = shop.name;
const came = new URLSearchParams(location.search);
if (came.has('recover')) {
  const recovered = ask('POST', '/cart/recover', { token: came.get('recover') });
  await recovered.then(({ data }) => localStorage.setItem(CART, data.token)).catch(tell);
}
if (came.has('recover') || came.has('back')) history.replaceState(null, '', `${location.pathname}#/cart`);
await render();
if (came.has('back') && location.hash === '#/cart') say(UNPAID);
