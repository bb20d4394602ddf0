"""Methods that become built-in functions: a question at t = 0 in ready arrays takes no Python.

`@service` marks a method of a class that keeps its bound queries in `queries`, under the name of
the method. Asked for on an instance, the method is a direct call that stands in the instance's
dictionary from then on; whatever a direct call leaves to its fallback, the method itself does. Its
first call binds the query. On the class it is the method, and where calls cannot be direct, on the
instance too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import BuiltinFunctionType, MethodType
from typing import Any, TypeVar

from hamiltree.compiled.direct_calls import (
    answer_of,
    bind_answer,
    direct_query,
    fallback_of,
    is_available,
    query_by_name,
)

Method = TypeVar("Method", bound=Callable[..., Any])


def service(method: Method) -> Method:
    """f(q, …): inputs of the query, and options that the direct call leaves to the method."""
    return Service(method, direct_service)  # type: ignore[return-value]


def service_by_name(method: Method) -> Method:
    """f(q, …, name): there is a query for every name, and `instance.named_queries[method]` has
    those that are direct.
    """
    return Service(method, direct_service_by_name)  # type: ignore[return-value]


class Service:
    """The descriptor of such a method."""

    def __init__(self, method: Callable[..., Any], make: Callable[..., Callable]):
        self.method = method
        self.make = make
        self.name = method.__name__
        self.__doc__ = method.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Callable[..., Any]:
        """The method of the class; of an instance, a direct call, unless a subclass has a method of
        this name.
        """
        if instance is None:
            return self.method
        bound = MethodType(self.method, instance)
        if not is_available() or find_in_class(type(instance), self.name) is not self:
            return bound
        return vars(instance).setdefault(self.name, self.make(self.name, self.document(), bound))

    def document(self) -> str:
        """Signature and documentation as Python reads them of a built-in function."""
        given = list(inspect.signature(self.method).parameters.values())[1:]  # without self
        plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in given]
        doc = inspect.cleandoc(self.method.__doc__ or "")
        return f"{self.name}{inspect.Signature(plain)}\n--\n\n{doc}"


def find_in_class(kind: type, name: str) -> Any:
    return next(vars(each)[name] for each in kind.__mro__ if name in vars(each))


def direct_service(name: str, doc: str, bound: Any) -> Callable:
    """Bound at once if the method was called before."""
    made = direct_query(name, doc, bound)
    asked = bound.__self__.queries.get(name)
    if asked is not None:
        bind_answer(made, answer_of(asked))
    return made


def direct_service_by_name(name: str, doc: str, bound: Any) -> Callable:
    return query_by_name(name, doc, bound, bound.__self__.named_queries[name])


def bind_service(instance: Any, name: Any, query: Callable) -> None:
    """A query of the instance was made: if the service of that name is its own direct call, it is
    bound. (A copy of an instance has the services of the original.)
    """
    found = vars(instance).get(name)
    if found is not None and is_direct(found) and fallback_of(found).__self__ is instance:
        bind_answer(found, answer_of(query))


def is_direct(query: Callable) -> bool:
    return isinstance(query, BuiltinFunctionType)
