"use strict";

const CUSTOMERS = 60;
const PIECES = 20;
const here = new URL(".", location.href).href;
const element = id => document.getElementById(id);

/** One entry for each node, by its address: {name, up, sold, soldOut, failed}. */
const nodes = new Map([[here, newNode()]]);

function newNode() {
  return {name: "", up: false, sold: 0, soldOut: 0, failed: 0};
}

async function call(base, path, options) {
  const response = await fetch(base + "api/" + path, options);
  if (!response.ok) {
    throw new Error(`${base} answered ${response.status}`);
  }
  return response.json();
}

const post = (base, path) => call(base, path, {method: "POST"});

/** Any node will do: they share one Redis. So the page lives on when its own node is killed. */
async function callAny(send) {
  for (const base of nodes.keys()) {
    try {
      return await send(base);
    } catch (e) {
      nodes.get(base).up = false;
    }
  }
  throw new Error("No node answers");
}

function show(status) {
  for (const figure of ["stock", "sold", "oversold"]) {
    element(figure).textContent = status[figure];
  }
  element("oversold-card").classList.toggle("bad", status.oversold > 0);
  for (const card of document.querySelectorAll("[data-lock]")) {
    showLock(card, status.locks[card.dataset.lock]);
  }
}

function showLock(card, lock) {
  let state = card.querySelector(".state");
  if (!state) {
    state = document.createElement("div");
    state.className = "state";
    state.append(document.createElement("b"), document.createElement("span"));
    card.append(state);
  }
  card.classList.toggle("held", lock.held);
  state.firstChild.textContent = lock.held ? "held by " + lock.by : "free";
  state.lastChild.textContent = lock.held
    ? `count ${lock.holdCount} · lease ${(lock.remainingLeaseMillis / 1000).toFixed(1)} s`
    : "";
}

function showNodes() {
  element("node-count").textContent = nodes.size;
  const rows = [...nodes].map(([base, node]) => {
    const row = document.createElement("tr");
    const link = Object.assign(document.createElement("a"), {href: base, textContent: node.name || base});
    row.insertCell().append(link);
    const state = row.insertCell();
    state.textContent = node.up ? "up" : "down";
    state.className = state.textContent;
    for (const count of [node.sold, node.soldOut, node.failed]) {
      const cell = row.insertCell();
      cell.textContent = count;
      cell.className = "number";
    }
    return row;
  });
  const focused = document.activeElement?.href;
  element("nodes").replaceChildren(...rows);
  element("nodes").querySelector(`a[href="${focused}"]`)?.focus();
}

/** Each node is asked by itself, so that one that is down does not hold up the others. */
async function watchNode(base) {
  const node = nodes.get(base);
  try {
    const status = await call(base, "status", {signal: AbortSignal.timeout(3000)});
    node.name = status.node;
    node.up = true;
    discover(status.nodes);
  } catch (e) {
    node.up = false;
  }
  showNodes();
  setTimeout(watchNode, 1000, base);
}

function discover(addresses) {
  for (const base of addresses) {
    // The same node under another name of this computer is not another node.
    if (!nodes.has(base) && new URL(base).port !== location.port) {
      nodes.set(base, newNode());
      watchNode(base);
    }
  }
}

async function watchFigures() {
  try {
    show(await callAny(base => call(base, "status", {signal: AbortSignal.timeout(3000)})));
  } catch (e) {
    element("message").textContent = e.message;
  }
  setTimeout(watchFigures, 250);
}

async function oneCustomer(number, paths) {
  const bases = [...nodes.keys()];
  const base = bases[number % bases.length];
  const node = nodes.get(base);
  try {
    const sale = await post(base, paths[Math.floor(number / bases.length) % paths.length]);
    node[sale.sold ? "sold" : "soldOut"]++;
    return sale.sold;
  } catch (e) {
    node.failed++;
    return false;
  } finally {
    element("progress").value++;
  }
}

async function sell(how, paths) {
  element("progress").value = 0;
  element("message").textContent = `${CUSTOMERS} customers come to ${nodes.size} nodes, ${how} the lock …`;
  const begin = performance.now();
  const sales = await Promise.all(Array.from({length: CUSTOMERS}, (_, i) => oneCustomer(i, paths)));
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const sold = sales.filter(Boolean).length;
  const status = await callAny(base => call(base, "status"));
  show(status);
  element("message").textContent = `${sold} of ${CUSTOMERS} customers bought a piece ${how} the lock, in ${seconds} s. `
    + (status.oversold > 0 ? `${status.oversold} of all buyers will get none.` : "Every buyer gets one.");
}

async function newDay() {
  for (const node of nodes.values()) {
    Object.assign(node, {sold: 0, soldOut: 0, failed: 0});
  }
  element("progress").value = 0;
  show(await callAny(base => post(base, `reset?stock=${PIECES}`)));
  element("message").textContent = `A new day: ${PIECES} pieces came in.`;
}

async function takeStock() {
  element("message").textContent = "One thread takes stock: it enters its lock, and enters it again.";
  const taken = await callAny(base => post(base, "stocktake?depth=2&millis=3000"));
  element("message").textContent = `${taken.node} took stock; its thread held the lock ${taken.holdCount} times.`;
}

function onClick(ids, action) {
  const buttons = ids.map(element);
  return async () => {
    buttons.forEach(button => button.disabled = true);
    try {
      await action();
    } catch (e) {
      element("message").textContent = e.message;
    } finally {
      buttons.forEach(button => button.disabled = false);
    }
  };
}

const tills = ["sell-locked", "sell-unlocked", "reset"];
element("sell-locked").onclick = onClick(tills, () => sell("with", ["sell/web", "sell/phone"]));
element("sell-unlocked").onclick = onClick(tills, () => sell("without", ["sell/unlocked"]));
element("reset").onclick = onClick(tills, newDay);
element("stocktake").onclick = onClick(["stocktake"], takeStock);

watchNode(here);
watchFigures();
