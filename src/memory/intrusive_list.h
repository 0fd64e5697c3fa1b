// A doubly linked list whose links live in the elements: no allocation, so that release paths cannot fail.
#pragma once

#include <cstddef>

namespace plimsoll::memory {

template <class T>
struct Links {
  T* previous = nullptr;
  T* next = nullptr;
};

// Does not own its elements. An element may be in several lists through different links, in each at most once.
template <class T, Links<T> T::* kLinks>
class IntrusiveList {
 public:
  bool empty() const noexcept { return front_ == nullptr; }
  T* front() const noexcept { return front_; }
  T* back() const noexcept { return back_; }
  static T* next(const T& element) noexcept { return (element.*kLinks).next; }
  static T* previous(const T& element) noexcept { return (element.*kLinks).previous; }

  void push_back(T& element) noexcept { insert_after(back_, element); }
  void push_front(T& element) noexcept { insert_after(nullptr, element); }

  // After `place`, or in front of all for null.
  void insert_after(T* place, T& element) noexcept {
    T* const next = place ? (place->*kLinks).next : front_;
    element.*kLinks = {place, next};
    (place ? (place->*kLinks).next : front_) = &element;
    (next ? (next->*kLinks).previous : back_) = &element;
  }

  void remove(T& element) noexcept {
    const Links<T> links = element.*kLinks;
    (links.previous ? (links.previous->*kLinks).next : front_) = links.next;
    (links.next ? (links.next->*kLinks).previous : back_) = links.previous;
    element.*kLinks = {};
  }

 private:
  T* front_ = nullptr;
  T* back_ = nullptr;
};

}  // namespace plimsoll::memory
