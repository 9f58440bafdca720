/** The page: a cart in the browser's storage, and fetch. */
const $ = (id) => document.getElementById(id);
const cart = new Map(JSON.parse(localStorage.getItem('cart') ?? '[]'));
let products = [];
/** Identifies this attempt to order: a second click while the first is in flight is the same order. */
let attempt = crypto.randomUUID();

async function ask(method, path, body) {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const result = await response.json();
  if (!response.ok) throw Object.assign(new Error(result.message), { status: response.status });
  return result;
}

function element(name, text, ...children) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...children);
  return made;
}

function showCart() {
  localStorage.setItem('cart', JSON.stringify([...cart]));
  const lines = [...cart].map(([id, qty]) => {
    const item = products.flatMap(({ items }) => items).find((one) => one.id === id);
    return element('li', `${qty} × ${item?.name ?? id}: ${((item?.price ?? 0) * qty).toFixed(2)}`);
  });
  $('cart').replaceChildren(...(lines.length > 0 ? lines : [element('li', 'Empty')]));
}

function card(product) {
  const picture = document.createElement('img');
  picture.alt = '';
  if (product.picture) picture.src = product.picture;
  const [first] = product.items;
  const choice = element(
    'select',
    '',
    ...product.items.map(({ title, price }) => element('option', `${title} ${price.toFixed(2)}`)),
  );
  choice.ariaLabel = `Variant of ${product.name}`;
  const add = element('button', `Add ${product.name}`);
  add.onclick = () => {
    const { id, stock_qty } = product.items[Math.max(choice.selectedIndex, 0)];
    cart.set(id, Math.min((cart.get(id) ?? 0) + 1, stock_qty));
    showCart();
  };
  const item = element('li', '', picture);
  if (first.title === null) item.append(element('p', `${product.name} ${first.price.toFixed(2)}`), add);
  else item.append(element('p', product.name), choice, add);
  return item;
}

async function showPoints() {
  const { points, worth } = await ask('GET', '/api/points');
  $('points').textContent = `You have ${points} points, worth ${worth.toFixed(2)}`;
}

/** Runs the action of a form, and shows the result. */
function onSubmit(form, work) {
  $(form).onsubmit = async (event) => {
    event.preventDefault();
    try {
      $('status').textContent = await work(Object.fromEntries(new FormData(event.target)));
    } catch (error) {
      $('status').textContent = error.message;
    }
  };
}

onSubmit('account', async (fields) => {
  await ask('POST', '/api/account', fields);
  await showPoints();
  return 'Signed in';
});

onSubmit('checkout', async (fields) => {
  const items = [...cart].map(([product_id, qty]) => ({ product_id, qty }));
  const order = await ask('POST', '/api/orders', { ...fields, points: Number(fields.points), items, attempt }).catch(
    (error) => {
      // Refused permanently: a corrected order is another attempt. After a failure it is the same one.
      if (error.status >= 400 && error.status < 500) attempt = crypto.randomUUID();
      throw error;
    },
  );
  attempt = crypto.randomUUID();
  cart.clear();
  showCart();
  await showPoints();
  return `Order ${order.id}: ${order.total.toFixed(2)} ${order.currency}, of which shipping ${order.shipping.toFixed(2)}`;
});

products = await ask('GET', '/api/products');
$('products').replaceChildren(...products.map(card));
showCart();
