// Keys, copying, live updates, and forms that are sent once. Everything else works without scripts.
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const status = document.getElementById("live");

  // --- Keys ---
  let prefix = false;
  const places = {o: "/ui/", j: "/ui/jobs", e: "/ui/executions", d: "/ui/dead-letters", q: "/ui/queues"};
  const step = distance => {
    const rows = all("[data-row]").filter(row => row.offsetParent && row.querySelector("a"));
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
  const showCopies = within => navigator.clipboard
    && all("[data-copy]", within).forEach(button => { button.hidden = false; });
  showCopies(document);
  document.addEventListener("click", async event => {
    const button = event.target.closest("[data-copy]");
    if (button) {
      await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
      const text = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = text; }, 1500);
    }
  });

  // --- Forms ---
  // A second click would do the work twice. A page that a person comes back to may send its forms again.
  const sent = new Set();
  document.addEventListener("submit", event => {
    if (!event.defaultPrevented && event.target.matches("[method=post]")) {
      if (sent.has(event.target)) {
        event.preventDefault();
      }
      sent.add(event.target);
    }
  });
  addEventListener("pageshow", () => sent.clear());

  // --- Live updates ---
  // A page is read again as a whole, and what differs in it is swapped part by part: never what is under the pointer,
  // has the focus or is selected, never so that this moves, and never while the pointer is on its way.
  const QUIET = 500;
  const held = new Map();
  const more = document.getElementById("held");
  let pointer = null;
  let touched = 0;
  let settling = 0;
  let top = scrollY;

  const planned = new Map();
  // At most one reading at a time for each element.
  const refresh = (element, delay) => {
    const key = element.id;
    if (!planned.has(key)) {
      planned.set(key, setTimeout(() => {
        planned.delete(key);
        const now = document.getElementById(key);
        if (now) {
          htmx.trigger(now, "live");
        }
      }, delay));
    }
  };

  // What differs each second without saying more: how long ago a time was, and what we have added ourselves.
  const bare = part => {
    const copy = part.cloneNode(true);
    all("time", copy).forEach(time => time.removeAttribute("title"));
    copy.removeAttribute("class");
    return copy;
  };
  const pointed = () => pointer && document.elementFromPoint(pointer.x, pointer.y);
  const isSelected = part => !getSelection().isCollapsed && part.contains(getSelection().anchorNode);
  const twin = (element, part) => element.matches("a, summary")
    && all("a, summary", part).find(one => element.matches("a")
      ? one.getAttribute("href") === element.getAttribute("href")
      : one.parentElement.id !== "" && one.parentElement.id === element.parentElement.id);
  const scrolls = part => all(".scroll, pre", part);
  const scrollAs = (part, places) => {
    const now = scrolls(part);
    if (now.length === places.length) {
      now.forEach((one, i) => { [one.scrollLeft, one.scrollTop] = places[i]; });
    }
  };
  // Whether the part is as the server has it now. What would move something that must not move is put back.
  const swap = (part, next, kept) => {
    all("details[id]", part).forEach(one => {
      const same = next.querySelector("#" + one.id);
      if (same) {
        same.open = one.open;
      }
    });
    if (bare(part).isEqualNode(bare(next))) {
      return true;
    }
    const focused = document.activeElement;
    const hasFocus = part.contains(focused);
    const again = hasFocus && twin(focused, next);
    const under = pointed();
    if (isSelected(part) || (hasFocus && !again) || (under && part.contains(under))) {
      return false;
    }
    const fixed = kept.filter(({one}) => one.isConnected && !one.contains(part) && !part.contains(one));
    const moved = ({one, place}) => one.getBoundingClientRect().top - place.top;
    const hasMoved = () => fixed.some(one => Math.abs(moved(one)) > 1
      || Math.abs(one.one.getBoundingClientRect().left - one.place.left) > 1);
    // The browser would keep something in its place too, and would not know that we have.
    document.documentElement.classList.toggle("steady", fixed.length > 0);
    const places = scrolls(part).map(one => [one.scrollLeft, one.scrollTop]);
    part.replaceWith(next);
    scrollAs(next, places);
    if (again) {
      again.focus({preventScroll: true});
    }
    if (hasMoved()) {
      const before = scrollY;
      scrollBy(0, moved(fixed[0]));
      top = scrollY;
      if (hasMoved()) {
        next.replaceWith(part);
        scrollAs(part, places);
        scrollTo(scrollX, before);
        top = scrollY;
        if (again) {
          focused.focus({preventScroll: true});
        }
        return false;
      }
    }
    htmx.process(next);
    if (next.matches("tr")) {
      next.classList.add("changed");
    }
    return true;
  };
  const settle = () => {
    settling = 0;
    const kept = [pointed(), document.activeElement]
      .filter(one => one && one !== document.body)
      .map(one => ({one, place: one.getBoundingClientRect()}));
    held.forEach((next, id) => {
      const part = document.getElementById(id);
      if (!part || swap(part, next, kept)) {
        held.delete(id);
      }
    });
    if (more.hidden && held.size > 0) {
      more.classList.toggle("left", !!pointer && pointer.x > innerWidth / 2);
    }
    more.hidden = held.size === 0;
  };
  const settleLater = () => {
    touched = Date.now();
    if (held.size > 0) {
      clearTimeout(settling);
      settling = setTimeout(settle, QUIET);
    }
  };
  const hold = (id, next) => {
    showCopies(next);
    held.set(id, next);
  };
  const settleSoon = () => {
    const rest = QUIET - (Date.now() - touched);
    if (rest > 0) {
      clearTimeout(settling);
      settling = setTimeout(settle, rest);
    } else {
      settle();
    }
  };
  const parsed = html => new DOMParser().parseFromString(html, "text/html");
  const take = (element, html) => {
    const isRow = element.matches("tr");
    const read = parsed(isRow ? "<table><tbody>" + html + "</tbody></table>" : html).getElementById(element.id);
    if (!read) {
      return;
    }
    if (isRow) {
      hold(read.id, document.adoptNode(read));
    } else {
      all("[data-part]", read).forEach(part => hold(part.id, document.adoptNode(part)));
      if (read.dataset.refresh === undefined) {
        element.removeAttribute("data-refresh");
      }
      // A run that has started has jobs to be told of.
      if (read.dataset.liveId !== element.dataset.liveId) {
        element.dataset.liveId = read.dataset.liveId;
        source?.close();
        source = null;
        follow();
      }
    }
    settleSoon();
  };
  for (const type of ["pointermove", "pointerdown"]) {
    addEventListener(type, event => {
      pointer = event.pointerType === "touch" ? null : {x: event.clientX, y: event.clientY};
      settleLater();
    }, {passive: true});
  }
  document.documentElement.addEventListener("pointerleave", () => {
    pointer = null;
    settleLater();
  });
  addEventListener("scroll", () => {
    if (scrollY !== top) {
      top = scrollY;
      settleLater();
    }
  }, {passive: true});
  for (const type of ["keydown", "focusin", "focusout", "selectionchange"]) {
    document.addEventListener(type, settleLater, {passive: true});
  }
  // The pointer is on the button now, which stays where it is, and a click shows that it is no longer there.
  more.addEventListener("click", () => {
    getSelection().removeAllRanges();
    more.blur();
    pointer = null;
    settle();
  });
  // How long to wait before the next try to connect, while live updates are interrupted.
  let pause = 0;
  let trying = 0;
  let hasEnded = false;
  const endSession = () => {
    hasEnded = true;
    pause = 0;
    clearTimeout(trying);
    status.textContent = "Your session has ended. Reload the page to log in again.";
  };
  document.addEventListener("htmx:afterRequest", event => {
    if (event.detail.successful) {
      // A session may have begun in another window.
      hasEnded = false;
      take(event.detail.elt, event.detail.xhr.responseText);
    } else if (event.detail.xhr.status === 401) {
      endSession();
    } else if ([0, 429].includes(event.detail.xhr.status) || event.detail.xhr.status >= 500) {
      // No other event may come.
      refresh(event.detail.elt, 5_000);
    }
  });

  const pages = () => all("[data-refresh]");
  // Pages that anything may change.
  const ofAll = () => pages().filter(one => one.dataset.liveId === undefined);
  // Pages of an execution, a job or a run, with the ids of executions and jobs whose events change them.
  const watched = () => all("[data-live-id]");
  const idsOf = one => one.dataset.liveId.split(" ");
  const listed = page => all("tr[id^=exec_]", page);
  // Rows that are read by themselves.
  const rows = () => listed(document).filter(row => !row.closest("[data-live-id]"));
  const fresh = document.getElementById("fresh");
  const offers = fresh?.dataset.offer !== undefined;
  // Its place is kept for it, so that nothing moves. The server tells of a few others a second at most, so how many are
  // new is not known.
  const offer = () => fresh.classList.add("shown");
  const isOffered = data => {
    const wanted = fresh.dataset;
    return (wanted.status ? data.status === wanted.status : data.type === "execution.created")
      && (!wanted.endpoint || wanted.endpoint === data.endpoint);
  };
  // What has come to the end of a full page is older than it, and there because others have left it.
  const hasNew = page => {
    const isHere = row => document.getElementById(row.id) !== null;
    const read = listed(page);
    const last = read.findLastIndex(isHere);
    const isFull = document.querySelector("[rel=next]") !== null;
    return !read.slice(0, isFull && last >= 0 ? last : read.length).every(isHere);
  };
  const types = ["created", "ready", "started", "lost", "deferred", "progress", "retrying", "interrupted", "succeeded",
    "failed", "cancelled", "expired", "skipped", "superseded"].map(kind => "execution." + kind)
    .concat("workflow.started", "workflow.ended");
  // The page as it is now; null without an answer. With the header, the end of a session is a 401 and no redirect.
  const readAgain = async () => {
    const answer = await fetch(location.href, {headers: {"HX-Request": "true"}}).catch(() => null);
    if (answer?.status === 401) {
      endSession();
    }
    return answer;
  };
  // Nothing has told of what happened after the page was read and before the stream began. A list is read again once,
  // however many rows may have changed or be new; a row that is no longer in it is read by itself.
  const catchUp = async () => {
    watched().forEach(one => refresh(one, 0));
    const unended = rows().filter(row => row.dataset.ended === undefined);
    const answer = (offers || unended.length > 0) && await readAgain();
    if (answer?.ok) {
      const page = parsed(await answer.text());
      if (offers && hasNew(page)) {
        offer();
      }
      unended.forEach(row => {
        const read = page.getElementById(row.id);
        if (read) {
          hold(row.id, document.adoptNode(read));
        } else {
          refresh(row, 0);
        }
      });
      settleSoon();
    }
  };
  let source = null;
  // A browser reconnects by itself when a connection ends, but gives up at an answer that is not a stream, as a 503
  // during a restart is.
  const interrupt = () => {
    source = null;
    pause = Math.min(30_000, pause * 2 || 5_000);
    status.textContent = "Live updates are interrupted; trying again.";
    clearTimeout(trying);
    trying = setTimeout(follow, pause);
    readAgain();
  };
  const heard = (type, event) => {
    const data = {...JSON.parse(event.data).data, type};
    const row = rows().find(one => one.id === data.execution_id);
    if (row) {
      refresh(row, 200);
    } else if (offers && isOffered(data)) {
      offer();
    }
    watched().filter(one => idsOf(one).some(id => id === data.execution_id || id === data.job_id))
      .forEach(one => refresh(one, 200));
    ofAll().forEach(one => refresh(one, 2000));
  };
  const follow = () => {
    const shown = [...rows().map(row => row.id), ...watched().flatMap(idsOf)];
    const others = offers || ofAll().length > 0;
    if (document.hidden || document.body.dataset.live !== "events" || source || (!shown.length && !others)) {
      return;
    }
    source = new EventSource("/ui/events?others=" + others + "&shown=" + shown.join(","));
    types.forEach(type => source.addEventListener("io.taskexec." + type, event => heard(type, event)));
    source.addEventListener("open", catchUp, {once: true});
    source.addEventListener("open", () => {
      pause = 0;
      status.textContent = "Live";
    });
    source.addEventListener("error", () => {
      if (source?.readyState === EventSource.CLOSED) {
        interrupt();
      } else {
        status.textContent = "Connecting…";
      }
    });
  };
  // A hidden page keeps no connection, of which a browser has few.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else {
      pages().forEach(one => refresh(one, 0));
      follow();
    }
  });
  addEventListener("pagehide", () => source?.close());
  follow();
  // Without events, while they are interrupted, and for what no event tells.
  let seconds = 0;
  setInterval(() => {
    seconds++;
    if (!document.hidden && !hasEnded) {
      pages().filter(one => seconds % one.dataset.refresh === 0).forEach(one => refresh(one, 0));
      if ((document.body.dataset.live !== "events" || pause > 0) && seconds % 5 === 0) {
        watched().forEach(one => refresh(one, 0));
      }
    }
  }, 1000);
})();
