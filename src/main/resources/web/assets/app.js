// Keys, copying and live updates. Everything else works without scripts.
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const status = document.getElementById("live");

  // --- Keys ---
  let prefix = false;
  const places = {o: "/ui/", j: "/ui/jobs", e: "/ui/executions", d: "/ui/dead-letters", q: "/ui/queues"};
  const step = distance => {
    const rows = all("[data-row]").filter(row => row.offsetParent);
    const at = rows.findIndex(row => row.contains(document.activeElement));
    const row = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + distance))];
    row?.querySelector("a")?.focus();
    row?.scrollIntoView({block: "nearest"});
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) {
      return;
    }
    const wasPrefix = prefix;
    prefix = false;
    if (wasPrefix && places[event.key]) {
      location.href = places[event.key];
    } else if (event.key === "g") {
      prefix = true;
    } else if (event.key === "/") {
      document.getElementById("search").focus();
    } else if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
    } else if (event.key === "?") {
      document.getElementById("keys").showModal();
    } else {
      return;
    }
    event.preventDefault();
  });

  // --- What only a script can do ---
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && zone !== "UTC") {
    document.getElementById("zones")?.append(new Option(zone, zone));
  }
  const showCopies = () => navigator.clipboard && all("[data-copy]").forEach(button => { button.hidden = false; });
  showCopies();
  document.addEventListener("click", async event => {
    const button = event.target.closest("[data-copy]");
    if (button) {
      await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
      const text = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = text; }, 1500);
    }
  });

  // --- Live updates ---
  const isBusy = element =>
    (element.contains(document.activeElement) && document.activeElement.matches("input, select, textarea"))
    || (!getSelection().isCollapsed && element.contains(getSelection().anchorNode));
  const planned = new Map();
  // At most one update at a time for each element, and none under what a person is typing or has selected.
  const refresh = (element, delay) => {
    const key = element.id;
    if (!planned.has(key)) {
      planned.set(key, setTimeout(() => {
        planned.delete(key);
        const now = document.getElementById(key);
        if (now && isBusy(now)) {
          refresh(now, 1000);
        } else if (now) {
          htmx.trigger(now, "live");
        }
      }, delay));
    }
  };
  let open = [];
  let focused = null;
  document.addEventListener("htmx:beforeSwap", event => {
    const details = all("details", event.detail.target);
    open = details.map(one => one.open);
    const links = all("a, button, summary", event.detail.target);
    focused = links.indexOf(document.activeElement);
    if (event.detail.xhr.status === 401) {
      status.textContent = "Your session has ended. Reload the page to log in again.";
    }
  });
  document.addEventListener("htmx:afterSettle", event => {
    const now = document.getElementById(event.detail.elt.id) ?? event.detail.elt;
    all("details", now).forEach((one, index) => { one.open = open[index] ?? one.open; });
    if (focused >= 0) {
      all("a, button, summary", now)[focused]?.focus({preventScroll: true});
    }
    if (now.matches("tr")) {
      now.classList.add("changed");
    }
    showCopies();
  });

  const pages = () => all("[data-refresh]");
  const watched = () => all("[data-live-id]");
  const rows = () => all("tr[id^=exec_]");
  const fresh = document.getElementById("fresh");
  let count = 0;
  const offer = data => {
    const wanted = fresh.dataset;
    const isNew = wanted.status ? data.status === wanted.status : data.type === "created";
    if (isNew && (!wanted.endpoint || wanted.endpoint === data.endpoint)) {
      count++;
      fresh.textContent = count > 99 ? "99+ new" : count + " new";
      fresh.parentElement.hidden = false;
    }
  };
  const types = ["created", "ready", "started", "lost", "deferred", "progress", "retrying", "interrupted", "succeeded",
    "failed", "cancelled", "expired", "skipped", "superseded"];
  let source = null;
  const heard = (type, event) => {
    const data = {...JSON.parse(event.data).data, type};
    const row = document.getElementById(data.execution_id);
    if (row) {
      refresh(row, 200);
    } else if (fresh?.dataset.offer !== undefined && fresh) {
      offer(data);
    }
    watched().filter(one => one.dataset.liveId === data.execution_id).forEach(one => refresh(one, 200));
    pages().forEach(one => refresh(one, 2000));
  };
  const follow = () => {
    const shown = [...rows().map(row => row.id), ...watched().map(one => one.dataset.liveId)];
    const others = fresh?.dataset.offer !== undefined || pages().length > 0;
    if (document.body.dataset.live !== "events" || source || (!shown.length && !others)) {
      return;
    }
    source = new EventSource("/ui/events?others=" + others + "&shown=" + shown.join(","));
    types.forEach(type => source.addEventListener("io.taskexec.execution." + type, event => heard(type, event)));
    source.addEventListener("open", () => { status.textContent = "Live"; });
    source.addEventListener("error", () => {
      status.textContent = source?.readyState === EventSource.CLOSED
        ? "Live updates have stopped. Reload the page." : "Connecting…";
    });
  };
  // A hidden page keeps no connection, of which a browser has few.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else {
      [...pages(), ...watched()].forEach(one => refresh(one, 0));
      follow();
    }
  });
  addEventListener("pagehide", () => source?.close());
  follow();
  // Without events, and for what no event tells.
  setInterval(() => {
    if (!document.hidden) {
      pages().forEach(one => refresh(one, 0));
      if (document.body.dataset.live !== "events") {
        watched().forEach(one => refresh(one, 0));
      }
    }
  }, 5000);
})();
