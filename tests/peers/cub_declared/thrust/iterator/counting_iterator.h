// The part of Thrust's interface that the gather's peer calls: the numbers from `first` on.
namespace thrust
{
template <class T> struct counting_iterator {
    T first;
    explicit counting_iterator(T first) : first(first) {}
    T operator*() const { return first; }
};
}
